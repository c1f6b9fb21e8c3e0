import type { Timeouts } from '../model/timeouts.ts';
import type { Connection } from '../netlink/connection.ts';
import { resolveFamily } from '../netlink/generic-family.ts';
import type { Message } from '../netlink/message-reader.ts';
import type { MessageWriter } from '../netlink/message-writer.ts';
import { NetlinkError } from '../netlink/netlink-error.ts';
import { IPVS_CMD_GET_CONFIG, IPVS_GENL_NAME, IPVS_GENL_VERSION } from './ipvs-protocol.ts';
import type { LoadModule } from './load-module.ts';
import { readTimeouts } from './timeouts.ts';

/** The netlink family `IPVS` on a connection: knows its number, finds it again after the module was reloaded. */
export class Ipvs {
  readonly connection: Connection;
  readonly #loadModule: LoadModule;
  #family = 0;

  constructor(connection: Connection, loadModule: LoadModule) {
    this.connection = connection;
    this.#loadModule = loadModule;
  }

  /** The family's number; 0 before `ready`. */
  get family(): number {
    return this.#family;
  }

  /** Begins a request of the family. */
  begin(writer: MessageWriter, command: number, flags = 0): void {
    writer.begin(this.#family, command, IPVS_GENL_VERSION, flags);
  }

  /**
   * Makes sure that the kernel answers, permits and still knows the family's number, before a batch depends on it:
   * asks for the timeouts.
   * @throws {NetlinkError} that says what to do about it
   */
  async ready(): Promise<Timeouts> {
    const isNew = this.#family === 0;
    try {
      if (isNew) await this.#resolve();
      return await this.#readTimeouts();
    } catch (error) {
      if (!isNew && error instanceof NetlinkError && isStale(error)) {
        this.#family = 0;
        return this.ready();
      }
      throw advised(error);
    }
  }

  async #resolve(): Promise<void> {
    try {
      this.#family = await resolveFamily(this.connection, IPVS_GENL_NAME);
    } catch (error) {
      if (!(error instanceof NetlinkError && error.code === 'ENOENT')) throw error;
      await this.#loadModule('ip_vs');
      this.#family = await resolveFamily(this.connection, IPVS_GENL_NAME);
    }
  }

  async #readTimeouts(): Promise<Timeouts> {
    let timeouts: Timeouts = { tcpSeconds: 0, tcpFinSeconds: 0, udpSeconds: 0 };
    const write = (writer: MessageWriter) => {
      this.begin(writer, IPVS_CMD_GET_CONFIG);
      writer.end();
    };
    const read = (reply: Message) => {
      timeouts = readTimeouts(reply);
    };
    await this.connection.request('read the IPVS timeouts', write, read);
    return timeouts;
  }
}

/** ENOENT: nobody has the number any more (genetlink.c:genl_rcv_msg); EOPNOTSUPP: it has become another family's. */
function isStale({ code }: NetlinkError): boolean {
  return code === 'ENOENT' || code === 'EOPNOTSUPP';
}

const advice: Readonly<Record<string, string>> = {
  EPERM: 'needs CAP_NET_ADMIN in the initial user namespace: run as root, or give it that capability',
  ENOENT:
    'the kernel has no IPVS: modprobe ip_vs did not help; install the package with its modules (Debian: linux-image-amd64), or a kernel with CONFIG_IP_VS',
};

function advised(error: unknown): unknown {
  if (!(error instanceof NetlinkError)) return error;
  const detail = advice[error.code];
  return detail === undefined ? error : new NetlinkError(error.operation, error.errno, { detail, cause: error });
}
