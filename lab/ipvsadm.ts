import type { Namespace } from './namespace.ts';

/** One destination, as ipvsadm tells it. */
export interface DestinationRow {
  /** `10.2.0.11:80`, `[fd02::11]:80`. */
  readonly address: string;
  readonly mode: 'nat' | 'dr' | 'tun';
  readonly weight: number;
  /** Everything else, as options: `['-x', '10']`. */
  readonly options: readonly string[];
  readonly active: number;
  readonly inactive: number;
}

/** One virtual service, as ipvsadm tells it. */
export interface ServiceRow {
  readonly protocol: 'tcp' | 'udp' | 'sctp' | 'fwmark';
  /** `10.1.0.100:80`, `[fd01::100]:80`, or the mark. */
  readonly address: string;
  readonly scheduler: string;
  /** Everything else, as options: `['-p', '360']`. */
  readonly options: readonly string[];
  readonly destinations: readonly DestinationRow[];
}

const protocols = { '-t': 'tcp', '-u': 'udp', '--sctp-service': 'sctp', '-f': 'fwmark' } as const;
const modes = { '-m': 'nat', '-g': 'dr', '-i': 'tun' } as const;

/** Reads the IPVS table of a namespace with ipvsadm: an independent witness. */
export async function readTable(namespace: Namespace): Promise<ServiceRow[]> {
  // -S says everything but the connections, -L the connections
  return parseTable(await namespace.exec('ipvsadm', '-Sn'), await namespace.exec('ipvsadm', '-Ln'));
}

/** The table as short lines, in the kernel's order: `tcp 10.1.0.100:80 wrr: 10.2.0.11:80 nat 3, 10.2.0.12:80 nat 1`. */
export async function readTableText(namespace: Namespace): Promise<string[]> {
  return (await readTable(namespace)).map(({ protocol, address, scheduler, options, destinations }) => {
    const rows = destinations.map((row) => [row.address, row.mode, row.weight, ...row.options].join(' '));
    return `${[protocol, address, scheduler, ...options].join(' ')}: ${rows.join(', ')}`;
  });
}

/** Parses the output of `ipvsadm -Sn` and `ipvsadm -Ln`. */
export function parseTable(saved: string, listed: string): ServiceRow[] {
  const counts = parseConnections(listed);
  const services: (ServiceRow & { destinations: DestinationRow[] })[] = [];
  for (const words of saved
    .trim()
    .split('\n')
    .map((line) => line.split(' '))) {
    const [verb, kind = '', address = '', ...rest] = words;
    const protocol = protocols[kind as keyof typeof protocols];
    if (verb === '-A') {
      const scheduler = take(rest, '-s');
      services.push({ protocol, address, scheduler, options: rest, destinations: [] });
    } else if (verb === '-a') {
      services.at(-1)?.destinations.push(parseDestination(rest, counts.get(`${protocol} ${address}`)));
    }
  }
  return services;
}

type Connections = ReadonlyMap<string, readonly [active: number, inactive: number]>;

function parseDestination(rest: string[], counts: Connections | undefined): DestinationRow {
  const address = take(rest, '-r');
  const weight = Number(take(rest, '-w'));
  const mode = (['-m', '-g', '-i'] as const).find((flag) => rest.includes(flag)) ?? '-g';
  const [active, inactive] = counts?.get(address) ?? [0, 0];
  return { address, mode: modes[mode], weight, options: rest.filter((word) => word !== mode), active, inactive };
}

/** Removes an option and its value from the words, and returns the value. */
function take(words: string[], option: string): string {
  const at = words.indexOf(option);
  return at < 0 ? '' : (words.splice(at, 2)[1] ?? '');
}

function parseConnections(listed: string): Map<string, Connections> {
  const services = new Map<string, Map<string, readonly [number, number]>>();
  let destinations = new Map<string, readonly [number, number]>();
  for (const line of listed.split('\n')) {
    const [first = '', second = '', , , active, inactive] = line.trim().split(/\s+/);
    if (/^(TCP|UDP|SCTP|FWM)$/.test(first)) {
      destinations = new Map();
      services.set(`${first === 'FWM' ? 'fwmark' : first.toLowerCase()} ${second}`, destinations);
    } else if (first === '->') destinations.set(second, [Number(active), Number(inactive)]);
  }
  return services;
}
