import type { Family } from '../model/address.ts';
import { type DestinationKey, destinationKey } from '../model/destination.ts';
import type { LiveDestination, LiveServiceState, LiveState } from '../model/state.ts';
import {
  type VirtualServiceId,
  type VirtualServiceKey,
  familyOfService,
  virtualServiceKey,
} from '../model/virtual-service.ts';
import type { MessageWriter } from '../netlink/message-writer.ts';
import { NetlinkError } from '../netlink/netlink-error.ts';
import { NLM_F_DUMP } from '../netlink/protocol.ts';
import { readDestination } from './destination.ts';
import { IPVS_CMD_GET_DEST, IPVS_CMD_GET_SERVICE } from './ipvs-protocol.ts';
import type { Ipvs } from './ipvs.ts';
import type { SnapshotOptions } from './kernel.ts';
import { type ReportedService, readService, writeServiceId } from './virtual-service.ts';

const none: LiveServiceState['destinations'] = new Map();

/** Reads the live table: the services, then the destinations of each, as the kernel has no dump of all of them. @throws {NetlinkError} */
export async function readTable(ipvs: Ipvs, options: SnapshotOptions): Promise<LiveState> {
  const { only, statistics = false, servicesOnly = false } = options;
  const timeouts = await ipvs.ready();
  const reported = only === undefined ? await readAll(ipvs, statistics) : await readOnly(ipvs, only, statistics);
  const services = new Map<VirtualServiceKey, LiveServiceState>();
  for (const service of reported) {
    const destinations = servicesOnly ? none : await readDestinations(ipvs, service.service.id, statistics);
    services.set(virtualServiceKey(service.service.id), { ...service, destinations });
  }
  return { services, timeouts };
}

async function readAll(ipvs: Ipvs, withStatistics: boolean): Promise<readonly ReportedService[]> {
  let services: ReportedService[] = [];
  await ipvs.connection.read({
    operation: 'read the virtual services',
    write: (writer) => {
      ipvs.begin(writer, IPVS_CMD_GET_SERVICE, NLM_F_DUMP);
      writer.end();
    },
    start: () => {
      services = [];
    },
    read: (reply) => {
      const service = readService(reply, withStatistics);
      if (service !== undefined) services.push(service);
    },
  });
  return services;
}

async function readOnly(
  ipvs: Ipvs,
  only: readonly VirtualServiceId[],
  withStatistics: boolean,
): Promise<readonly ReportedService[]> {
  const services: ReportedService[] = [];
  for (const id of only) {
    const service = await readOne(ipvs, id, withStatistics);
    if (service !== undefined) services.push(service);
  }
  return services;
}

async function readOne(
  ipvs: Ipvs,
  id: VirtualServiceId,
  withStatistics: boolean,
): Promise<ReportedService | undefined> {
  let service: ReportedService | undefined;
  try {
    await ipvs.connection.read({
      operation: `read the virtual service ${virtualServiceKey(id)}`,
      write: (writer) => {
        writeQuery(ipvs, writer, IPVS_CMD_GET_SERVICE, 0, id);
      },
      read: (reply) => {
        service = readService(reply, withStatistics);
      },
    });
  } catch (error) {
    if (!(error instanceof NetlinkError && error.code === 'ESRCH')) throw error;
  }
  return service;
}

async function readDestinations(
  ipvs: Ipvs,
  id: VirtualServiceId,
  withStatistics: boolean,
): Promise<ReadonlyMap<DestinationKey, LiveDestination>> {
  const family: Family = familyOfService(id);
  const destinations = new Map<DestinationKey, LiveDestination>();
  await ipvs.connection.read({
    operation: 'read the destinations of a virtual service',
    write: (writer) => {
      writeQuery(ipvs, writer, IPVS_CMD_GET_DEST, NLM_F_DUMP, id);
    },
    start: () => {
      destinations.clear();
    },
    read: (reply) => {
      const destination = readDestination(reply, family, withStatistics);
      if (destination !== undefined) destinations.set(destinationKey(destination), destination);
    },
  });
  return destinations;
}

function writeQuery(ipvs: Ipvs, writer: MessageWriter, command: number, flags: number, id: VirtualServiceId): void {
  ipvs.begin(writer, command, flags);
  writeServiceId(writer, id);
  writer.end();
}
