import type { Connection } from './connection.ts';
import { genericAttributes } from './message-reader.ts';

/** `nlctrl` (include/uapi/linux/genetlink.h): the family that knows the others' numbers. */
const GENL_ID_CTRL = 0x10;
const CTRL_CMD_GETFAMILY = 3;
const CTRL_ATTR_FAMILY_ID = 1;
const CTRL_ATTR_FAMILY_NAME = 2;

/**
 * The number of a generic netlink family. By name the kernel also loads the family's module (genetlink.c:ctrl_getfamily).
 * The number changes when the module is loaded anew.
 * @throws {NetlinkError} ENOENT when there is no such family
 */
export async function resolveFamily(connection: Connection, name: string): Promise<number> {
  const operation = `find the netlink family ${name}`;
  let id = 0;
  await connection.request(
    operation,
    (writer) => {
      writer.begin(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1, 0);
      writer.text(CTRL_ATTR_FAMILY_NAME, name);
      writer.end();
    },
    (reply) => {
      const attributes = genericAttributes(reply);
      while (attributes.next()) if (attributes.type === CTRL_ATTR_FAMILY_ID) id = attributes.u16();
      attributes.finish(operation);
    },
  );
  return id;
}
