import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** How many virtual services, and servers in each. */
export interface Size {
  readonly services: number;
  readonly servers: number;
}

/** How the configuration is laid out: one file with every server written out, or one file a service. */
export type Layout = 'one-file' | 'conf.d';

/** What varies between the configurations of one table. */
export interface Variant {
  readonly layout: Layout;
  /** A TCP check on each server. */
  readonly checked: boolean;
  /** The weight of the server in the middle; the others have 1. */
  readonly weight: number;
  readonly onStop: 'keep' | 'remove';
  /** Where the state directory and the control socket go. */
  readonly run: string;
}

/** Rows of a table in the kernel. */
export function rowsOf({ services, servers }: Size): number {
  return services * (servers + 1);
}

/** The server whose weight is changed: [service, server]. */
export function middle({ services, servers }: Size): readonly [number, number] {
  return [Math.floor(services / 2), Math.floor(servers / 2)];
}

/** Writes ipvsd's configuration of a table. @returns the main file */
export async function writeConfiguration(directory: string, size: Size, variant: Variant): Promise<string> {
  const file = join(directory, 'ipvsd.toml');
  await mkdir(join(directory, 'conf.d'), { recursive: true });
  const blocks = Array.from({ length: size.services }, (_, s) => serviceBlock(size, s, variant.weight));
  if (variant.layout === 'one-file') await writeFile(file, mainPart(variant) + blocks.join('\n'));
  else {
    await writeFile(file, `include = ["conf.d/*.toml"]\n${mainPart(variant)}`);
    for (const [s, block] of blocks.entries()) await write(join(directory, 'conf.d', `service${s}.toml`), block);
  }
  return file;
}

function mainPart({ checked, onStop, run }: Variant): string {
  const daemon = `[daemon]\ncontrol_socket = "${run}/control.sock"\nstate_dir = "${run}/state"\nresync = "1h"\non_stop = "${onStop}"\n`;
  const check = '[check.connect]\ntype = "tcp"\ninterval = "1h"\n[defaults]\ncheck = "connect"\n';
  return `${daemon}${checked ? check : ''}\n`;
}

function serviceBlock(size: Size, s: number, weight: number): string {
  const [service, server] = middle(size);
  const servers = Array.from({ length: size.servers }, (_, d) => {
    const own = s === service && d === server ? weight : 1;
    return `[[service.service${s}.server]]\naddress = "${serverAddress(size, s, d)}"\nport = 80\nweight = ${own}\n`;
  });
  return `[service.service${s}]\nlisten = ["${serviceAddress(s)}:80"]\nscheduler = "wrr"\n${servers.join('')}`;
}

/** The same table for keepalived. */
export function keepalivedConfiguration(size: Size, { checked, weight }: Pick<Variant, 'checked' | 'weight'>): string {
  const [service, server] = middle(size);
  const check = checked ? 'TCP_CHECK {\nconnect_timeout 1\nretry 0\n}\n' : '';
  const services = Array.from({ length: size.services }, (_, s) => {
    const servers = Array.from({ length: size.servers }, (_, d) => {
      const own = s === service && d === server ? weight : 1;
      return `real_server ${serverAddress(size, s, d)} 80 {\nweight ${own}\n${check}}\n`;
    });
    const head = `virtual_server ${serviceAddress(s)} 80 {\ndelay_loop 3600\nlb_algo wrr\nlb_kind NAT\nprotocol TCP\n`;
    return `${head}${servers.join('')}}\n`;
  });
  return `global_defs {\n}\n${services.join('')}`;
}

function serviceAddress(s: number): string {
  return dotted((10 << 24) + s + 1);
}

function serverAddress({ servers }: Size, s: number, d: number): string {
  return dotted((10 << 24) + (128 << 16) + s * servers + d + 1);
}

function dotted(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join('.');
}

/** Leaves a file alone that is as it should be, as an operator would. */
async function write(file: string, text: string): Promise<void> {
  if ((await readFile(file, 'utf8').catch(() => undefined)) !== text) await writeFile(file, text);
}
