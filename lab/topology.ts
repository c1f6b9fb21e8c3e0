import type { Test } from 'tap';
import { mustRun } from './command.ts';
import { Namespace } from './namespace.ts';
import { RealServer } from './real-server.ts';

/** Addresses on the director for clients to connect to. */
export const vip = { v4: '10.1.0.100', v6: 'fd01::100' } as const;

/** How many machines, and how they are joined. */
export interface TopologyOptions {
  /** Number of real servers; default 2. */
  readonly servers?: number;
  /**
   * The servers' way to the clients: through the director (mode `nat`; the default), past it through a router (modes
   * `dr` and `tun`), or none (mode `fullnat`).
   */
  readonly back?: 'director' | 'router' | 'none';
}

/** Machines for one test. Interfaces of director and router: `clients` and `servers`; of the others: `eth0`. */
export interface Topology {
  /** 10.1.0.10, fd01::10 */
  readonly client: Namespace;
  /** 10.1.0.1 and 10.2.0.1, fd01::1 and fd02::1, and the VIPs; forwards. Its IPVS table is its own. */
  readonly director: Namespace;
  /** 10.1.0.2 and 10.2.0.2, fd01::2 and fd02::2; forwards. On every network, on the way only with `back: 'router'`. */
  readonly router: Namespace;
  /** 10.2.0.11 …, fd02::11 …; forwarding off, serving nothing until `listen()`. */
  readonly servers: readonly RealServer[];
  /** Holds the two networks, as bridges `clients` and `servers`. */
  readonly wires: Namespace;
  /** Kills everything in it and removes it. */
  remove(): Promise<void>;
}

let made = 0;

/**
 * Makes the machines for one test, and removes them when the test ends, well or not (unless $IPVSD_LAB_KEEP is set).
 *
 * ```text
 * client ── clients 10.1.0.0/24, fd01::/64 ──┬── director ──┬── servers 10.2.0.0/24, fd02::/64 ── server1 … serverN
 *                                            └── router  ───┘
 * ```
 */
export async function makeTopology(t: Pick<Test, 'teardown'>, options: TopologyOptions = {}): Promise<Topology> {
  const prefix = `lab${process.pid}-${++made}`;
  const [client, director, router, wires] = ['client', 'director', 'router', 'wires'].map(
    (role) => new Namespace(`${prefix}-${role}`),
  ) as [Namespace, Namespace, Namespace, Namespace];
  const servers = Array.from({ length: options.servers ?? 2 }, (_, index) => {
    const label = `server${index + 1}`;
    return new RealServer(`${prefix}-${label}`, label, `10.2.0.${index + 11}`, `fd02::${index + 11}`);
  });
  const all = [client, director, router, wires, ...servers];
  const remove = async (): Promise<void> => {
    await Promise.all(all.map((machine) => machine.stop()));
    await ip(all.map(({ name }) => `netns del ${name}`));
  };
  if (process.env['IPVSD_LAB_KEEP'] === undefined) t.teardown(remove);
  const links: Link[] = [
    { machine: client, name: 'eth0', network: 1, host: 10 },
    { machine: director, name: 'clients', network: 1, host: 1 },
    { machine: director, name: 'servers', network: 2, host: 1 },
    { machine: router, name: 'clients', network: 1, host: 2 },
    { machine: router, name: 'servers', network: 2, host: 2 },
    ...servers.map((machine, index) => ({ machine, name: 'eth0', network: 2, host: index + 11 }) as const),
  ];
  await ip(all.map(({ name }) => `netns add ${name}`));
  await ip([...networks, ...links.flatMap(cable)], wires);
  const way = { director: gateway(2, 1), router: gateway(2, 2), none: [] }[options.back ?? 'director'];
  await Promise.all([
    ...all.map((machine) =>
      ip(
        [
          'link set lo up',
          ...links.filter((link) => link.machine === machine).flatMap(ends),
          ...(machine === client ? gateway(1, 1) : []),
          ...(machine === director ? vipLines : []),
          ...(machine instanceof RealServer ? way : []),
        ],
        machine,
      ),
    ),
    director.sysctl(forwarding),
    router.sysctl(forwarding),
  ]);
  return { client, director, router, servers, wires, remove };
}

/** An interface of a machine, on a network (1 clients, 2 servers), with addresses that end in `host`. */
interface Link {
  readonly machine: Namespace;
  readonly name: string;
  readonly network: 1 | 2;
  readonly host: number;
}

const bridgeNames = { 1: 'clients', 2: 'servers' } as const;
const networks = Object.values(bridgeNames).flatMap((name) => [
  `link add ${name} type bridge forward_delay 0 mcast_snooping 0`,
  `link set ${name} up`,
]);
const vipLines = [`address add ${vip.v4}/32 dev clients`, `address add ${vip.v6}/128 dev clients nodad`];
const forwarding = {
  'net.ipv4.ip_forward': 1,
  'net.ipv6.conf.all.forwarding': 1,
  'net.ipv4.conf.all.rp_filter': 0,
  'net.ipv4.conf.default.rp_filter': 0,
};

/** Lines that join the link to its bridge; for the wires' namespace. */
function cable({ machine, name, network }: Link, index: number): string[] {
  return [
    `link add port${index} type veth peer name ${name} netns ${machine.name}`,
    `link set port${index} master ${bridgeNames[network]} up`,
  ];
}

/** Lines that bring the link up; for its machine. */
function ends({ name, network, host }: Link): string[] {
  return [
    `address add 10.${network}.0.${host}/24 dev ${name}`,
    `address add fd0${network}::${host}/64 dev ${name} nodad`,
    `link set ${name} up`,
  ];
}

function gateway(network: 1 | 2, host: number): string[] {
  return [`route add default via 10.${network}.0.${host}`, `route add ::/0 via fd0${network}::${host}`];
}

/** Runs lines of `ip -batch`, in a namespace or in the lab's own. */
async function ip(lines: readonly string[], machine?: Namespace): Promise<void> {
  const where = machine === undefined ? [] : ['-n', machine.name];
  await mustRun(['ip', ...where, '-batch', '-'], lines.join('\n') + '\n');
}
