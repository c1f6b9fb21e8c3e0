import { acknowledgement, attribute, done, find, message, requestsOf, u32, type Request } from './netlink-bytes.ts';

/** A kernel's IPVS as far as error handling goes: it knows names and keys, and keeps no attributes. */
export interface FakeIpvs {
  /** The number of the family; undefined while the module is missing. */
  family: number | undefined;
  readonly schedulers: Set<string>;
  /** The identities of the services, in hexadecimal. */
  readonly services: Set<string>;
  /** The commands asked for, in datagrams. */
  readonly datagrams: (readonly number[])[];
  permitted: boolean;
  answer(datagram: Uint8Array): readonly Uint8Array[];
}

const controller = 0x10;
const noPermission = 1;
const noEntry = 2;
const noSuchObject = 3;
const exists = 17;

/** An empty table, with the scheduler rr. */
export function fakeIpvs(): FakeIpvs {
  const fake: FakeIpvs = {
    family: 28,
    schedulers: new Set(['rr']),
    services: new Set(),
    datagrams: [],
    permitted: true,
    answer: (datagram) => {
      const requests = requestsOf(datagram);
      fake.datagrams.push(requests.map(({ command }) => command));
      return requests.flatMap((request) => reply(fake, request));
    },
  };
  return fake;
}

function reply(fake: FakeIpvs, request: Request): readonly Buffer[] {
  const { type, flags, sequence, command } = request;
  const refuse = (errno: number) => [acknowledgement(sequence, errno)];
  const answer = (...payload: Buffer[]) => [
    message(type, 0, sequence, Buffer.from([command, 1, 0, 0]), ...payload),
    acknowledgement(sequence),
  ];
  if (type === controller) return fake.family === undefined ? refuse(noEntry) : answer(attribute(1, u16(fake.family)));
  if (type !== fake.family) return refuse(noEntry);
  if (!fake.permitted) return refuse(noPermission);
  if ((flags & 0x300) === 0x300) return [done(sequence)];
  if (command === 13) return answer(attribute(4, u32(900)), attribute(5, u32(120)), attribute(6, u32(300)));
  if (command === 15) return answer(attribute(1, u32(0x010201)), attribute(2, u32(4096)));
  const errno = change(fake, request);
  if (errno !== 0) return refuse(errno);
  return (flags & 4) === 0 ? [] : [acknowledgement(sequence)];
}

function u16(value: number): Buffer {
  return u32(value).subarray(0, 2);
}

function change(fake: FakeIpvs, { command, attributes }: Request): number {
  const service = find(attributes, 1) ?? Buffer.alloc(0);
  const key = [1, 2, 3, 4, 5].map((type) => find(service, type)?.toString('hex') ?? '').join(' ');
  if (command !== 1) return fake.services.has(key) ? 0 : noSuchObject;
  if (fake.services.has(key)) return exists;
  const scheduler = find(service, 6)?.toString('latin1').replace('\0', '') ?? '';
  if (!fake.schedulers.has(scheduler)) return noEntry;
  fake.services.add(key);
  return 0;
}
