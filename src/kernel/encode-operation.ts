import type { Operation, OperationKind } from '../model/operation.ts';
import type { MessageWriter } from '../netlink/message-writer.ts';
import { writeDestination, writeDestinationId } from './destination.ts';
import {
  IPVS_CMD_DEL_DEST,
  IPVS_CMD_DEL_SERVICE,
  IPVS_CMD_NEW_DEST,
  IPVS_CMD_NEW_SERVICE,
  IPVS_CMD_SET_CONFIG,
  IPVS_CMD_SET_DEST,
  IPVS_CMD_SET_SERVICE,
  IPVS_GENL_VERSION,
} from './ipvs-protocol.ts';
import { writeTimeouts } from './timeouts.ts';
import { writeService, writeServiceId } from './virtual-service.ts';

const commands: Readonly<Record<OperationKind, number>> = {
  'add-service': IPVS_CMD_NEW_SERVICE,
  'edit-service': IPVS_CMD_SET_SERVICE,
  'remove-service': IPVS_CMD_DEL_SERVICE,
  'add-destination': IPVS_CMD_NEW_DEST,
  'edit-destination': IPVS_CMD_SET_DEST,
  'remove-destination': IPVS_CMD_DEL_DEST,
  'set-timeouts': IPVS_CMD_SET_CONFIG,
};

/** Writes the request that carries out an operation. @param family - the number of the netlink family `IPVS` */
export function encodeOperation(writer: MessageWriter, family: number, operation: Operation): void {
  writer.begin(family, commands[operation.kind], IPVS_GENL_VERSION, 0);
  switch (operation.kind) {
    case 'add-service':
    case 'edit-service':
      writeService(writer, operation.service);
      break;
    case 'remove-service':
      writeServiceId(writer, operation.service.id);
      break;
    case 'add-destination':
    case 'edit-destination':
      writer.repeated(operation.id, writeServiceId);
      writeDestination(writer, operation.destination);
      break;
    case 'remove-destination':
      writer.repeated(operation.id, writeServiceId);
      writeDestinationId(writer, operation.destination);
      break;
    case 'set-timeouts':
      writeTimeouts(writer, operation.timeouts);
      break;
  }
  writer.end();
}
