import { release } from 'node:os';
import type { Plan } from '../model/operation.ts';
import { Connection } from '../netlink/connection.ts';
import type { Message } from '../netlink/message-reader.ts';
import type { MessageWriter } from '../netlink/message-writer.ts';
import { NETLINK_GENERIC } from '../netlink/protocol.ts';
import { openNetlinkSocket } from '../netlink/socket-transport.ts';
import type { Transport } from '../netlink/transport.ts';
import { applyPlan } from './apply-plan.ts';
import { readInfo } from './info.ts';
import { IPVS_CMD_GET_INFO } from './ipvs-protocol.ts';
import { Ipvs } from './ipvs.ts';
import type { Kernel, KernelInfo, SnapshotOptions } from './kernel.ts';
import { type LoadModule, loadModule } from './load-module.ts';
import { readTable } from './read-table.ts';

/** How the kernel is reached; the defaults are the real things. */
export interface LinuxKernelOptions {
  /** How long the kernel may stay silent; 5000 unless said otherwise. */
  readonly timeoutMs?: number;
  /** Opens the socket; it belongs to the network namespace of the thread that calls it. */
  readonly openTransport?: () => Transport;
  readonly loadModule?: LoadModule;
}

/** The IPVS table of this network namespace. Loads the module `ip_vs` when need be. @throws {NetlinkError} that says what is missing */
export async function openLinuxKernel(options: LinuxKernelOptions = {}): Promise<Kernel> {
  const open = options.openTransport ?? (() => openNetlinkSocket(NETLINK_GENERIC));
  const connection = new Connection({ open, timeoutMs: options.timeoutMs ?? 5000 });
  const load = options.loadModule ?? loadModule;
  const ipvs = new Ipvs(connection, load);
  try {
    await ipvs.ready();
  } catch (error) {
    connection.close();
    throw error;
  }
  const inTurn = turns();
  return {
    kind: 'linux',
    info: () => inTurn(() => info(ipvs)),
    snapshot: (wanted: SnapshotOptions = {}) => inTurn(() => readTable(ipvs, wanted)),
    apply: (plan: Plan) => inTurn(() => applyPlan(ipvs, plan, load)),
    close: () => {
      connection.close();
    },
  };
}

/** Lets asynchronous functions run one after the other, as the answers on one socket must not mix. */
function turns(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const turn = last.then(task, task);
    last = turn.catch(() => undefined);
    return turn;
  };
}

async function info(ipvs: Ipvs): Promise<KernelInfo> {
  let answer: KernelInfo = { release: release(), ipvsVersion: '', connectionTableSize: 0 };
  await ipvs.ready();
  const write = (writer: MessageWriter) => {
    ipvs.begin(writer, IPVS_CMD_GET_INFO);
    writer.end();
  };
  const read = (reply: Message) => {
    answer = readInfo(reply, answer.release);
  };
  await ipvs.connection.request('read the version of IPVS', write, read);
  return answer;
}
