import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { createServer, type Server, type Socket } from 'node:net';
import { Namespace } from './namespace.ts';
import { inNamespace } from './network-namespace.ts';

/** The path whose status `health` sets. */
export const healthPath = '/healthz';

/**
 * One real server. Its listeners live in this process (a socket stays in the namespace it was made in), so a start
 * costs nothing and its behaviour is changed by setting fields:
 * - HTTP/1 requests are answered with `{"server": name, "client": address}` and the header `x-server`;
 * - any other first line makes the connection an echo: each line comes back with `name: ` before it, until closed;
 * - UDP datagrams come back with `name: ` before them.
 */
export class RealServer extends Namespace {
  /** Short name, as the answers have it: `server1`. */
  readonly label: string;
  readonly v4: string;
  readonly v6: string;
  /** Status of the answers to GET /healthz. */
  health = 200;
  /** Wait before each HTTP answer, in ms; Infinity accepts and never answers. */
  delayMs = 0;
  /** HTTP requests so far, health checks apart. */
  requests = 0;
  /** Requests for /healthz so far. */
  probes = 0;
  readonly #listeners = new Map<number, Server>();
  readonly #datagrams = new Set<UdpSocket>();
  readonly #connections = new Set<Socket>();

  constructor(name: string, label: string, v4: string, v6: string) {
    super(name);
    this.label = label;
    this.v4 = v4;
    this.v6 = v6;
  }

  /** Connections that are open now. */
  get connections(): number {
    return this.#connections.size;
  }

  /** Listens on a TCP port, IPv4 and IPv6. */
  async listen(port = 80): Promise<void> {
    const server = createServer((socket) => {
      this.#serve(socket);
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).once('listening', resolve);
      inNamespace(this.name, () => server.listen(port));
    });
    this.#listeners.set(port, server);
  }

  /** Answers datagrams sent to a UDP port of the given addresses (all of its own when absent). */
  async listenUdp(port: number, addresses: readonly string[] = [this.v4, this.v6]): Promise<void> {
    for (const address of addresses) {
      const socket = createSocket({
        type: address.includes(':') ? 'udp6' : 'udp4',
        // at once, so that the socket is made while this thread is in the namespace
        lookup: (host, _options, done) => {
          done(null, host, 0);
        },
      });
      socket.on('message', (message, sender) => {
        socket.send(`${this.label}: ${message.toString()}`, sender.port, sender.address);
      });
      await new Promise<void>((resolve, reject) => {
        socket.once('error', reject).once('listening', resolve);
        inNamespace(this.name, () => socket.bind(port, address));
      });
      this.#datagrams.add(socket);
    }
  }

  /** Dies: stops listening, and resets every connection. `listen()` brings it back. */
  async kill(): Promise<void> {
    const closed = [...this.#listeners.values()].map((server) => new Promise((resolve) => server.close(resolve)));
    this.#listeners.clear();
    for (const socket of this.#datagrams) socket.close();
    this.#datagrams.clear();
    for (const connection of this.#connections) connection.resetAndDestroy();
    await Promise.all(closed);
  }

  override async stop(): Promise<void> {
    await this.kill();
    await super.stop();
  }

  /** Holds a VIP on `lo` without answering ARP for it, as a real server of mode `dr` or `tun` must. */
  async holdVip(...addresses: string[]): Promise<void> {
    await this.sysctl({ 'net.ipv4.conf.all.arp_ignore': 1, 'net.ipv4.conf.all.arp_announce': 2 });
    for (const address of addresses) await this.exec('ip', 'address', 'replace', address, 'dev', 'lo');
  }

  #serve(socket: Socket): void {
    let received = '';
    this.#connections.add(socket);
    socket.on('error', () => undefined).on('close', () => this.#connections.delete(socket));
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      received += chunk;
      if (/^[A-Z]+ \S+ HTTP\/1/.test(received)) {
        if (!received.includes('\r\n\r\n')) return;
        this.#answer(socket, received.split(' ')[1] ?? '');
        received = '';
      } else {
        const lines = received.split('\n');
        received = lines.pop() ?? '';
        for (const line of lines) socket.write(`${this.label}: ${line}\n`);
      }
    });
  }

  #answer(socket: Socket, path: string): void {
    const probe = path === healthPath;
    if (probe) this.probes++;
    else this.requests++;
    if (this.delayMs === Infinity) return;
    const client = socket.remoteAddress?.replace('::ffff:', '');
    const body = JSON.stringify({ server: this.label, client }) + '\n';
    const head = [
      `HTTP/1.1 ${probe ? this.health : 200} x`,
      `x-server: ${this.label}`,
      'content-type: application/json',
      `content-length: ${body.length}`,
      'connection: close',
    ];
    const text = `${head.join('\r\n')}\r\n\r\n${body}`;
    if (this.delayMs === 0) socket.end(text);
    else setTimeout(() => socket.end(text), this.delayMs);
  }
}
