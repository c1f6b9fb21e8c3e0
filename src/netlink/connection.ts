import { setImmediate } from 'node:timers/promises';
import { type Acknowledgement, readAcknowledgement } from './acknowledgement.ts';
import { before } from './deadline.ts';
import { type Message, readMessages } from './message-reader.ts';
import { MessageWriter } from './message-writer.ts';
import { NetlinkError } from './netlink-error.ts';
import { NLMSG_DONE, NLMSG_ERROR, NLMSG_NOOP, NLMSG_OVERRUN, NLM_F_DUMP_INTR } from './protocol.ts';
import type { Transport } from './transport.ts';

const EINTR = 4;
const ENOBUFS = 105;
const ETIMEDOUT = 110;

/** How often a dump is tried that the kernel says changed while it was read. */
const dumpAttempts = 4;
/** How long the event loop may be kept busy before others get a turn. */
const sliceMs = 8;
/** Every how many datagrams that is looked at: reading the clock costs as much as a small one. */
const clockEvery = 32;

/** A message of a batch that the kernel refused. */
export interface Refusal extends Acknowledgement {
  /** Which message of the batch, from 0. */
  readonly index: number;
}

/** How a connection is made. */
export interface ConnectionOptions {
  readonly open: () => Transport;
  /** How long the kernel may stay silent; 5000 unless said otherwise. */
  readonly timeoutMs?: number;
}

/** A request that only reads: a dump, or one object. */
export interface Query {
  /** What is being read, in words. */
  readonly operation: string;
  /** Writes the one request; a dump's has `NLM_F_DUMP`. */
  readonly write: (writer: MessageWriter) => void;
  /** Forgets what was read; called before each attempt. */
  readonly start?: () => void;
  /** Takes one reply. */
  readonly read: (reply: Message) => void;
}

/** What came of one datagram of requests. */
interface Outcome {
  readonly refusals: Refusal[];
  interrupted: boolean;
  finished: boolean;
}

/**
 * One long-lived netlink socket. After any failure that leaves answers unaccounted for (a deadline, a full receive
 * buffer, a malformed message), the socket is given up and the next call opens another, so that no answer is ever taken
 * for that of a later request. Calls must not overlap.
 */
export class Connection {
  readonly #open: () => Transport;
  readonly #timeoutMs: number;
  readonly #writer = new MessageWriter();
  #transport: Transport | undefined;
  #sequence = 1;
  #received = 0;
  #sliceEndMs = 0;

  constructor({ open, timeoutMs = 5000 }: ConnectionOptions) {
    this.#open = open;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Sends all messages of a writer in one datagram. The kernel carries them out in order and goes on after a refusal.
   * @param graceMs - allowed beyond the usual deadline, for requests that are known to be slow
   * @returns the refused ones
   * @throws {NetlinkError} when it is not known what became of them
   */
  async execute(operation: string, writer: MessageWriter, graceMs = 0): Promise<readonly Refusal[]> {
    const first = this.#takeSequences(writer.count);
    const datagram = writer.finish(first);
    const send = (transport: Transport) => before(this.#timeoutMs + graceMs, transport.send(datagram));
    return (await this.#exchange(operation, send, first, writer.count)).refusals;
  }

  /** Sends one request and takes its reply. @throws {NetlinkError} also when the kernel refuses */
  async request(
    operation: string,
    write: (writer: MessageWriter) => void,
    read: (reply: Message) => void,
  ): Promise<void> {
    const first = this.#takeSequences(1);
    const datagram = this.#write(write, first);
    const send = (transport: Transport) => before(this.#timeoutMs, transport.send(datagram));
    throwRefusal(operation, await this.#exchange(operation, send, first, 1, read));
  }

  /** Asks what the kernel answers at once. Repeated when it says that the table changed meanwhile. @throws {NetlinkError} */
  async read({ operation, write, start, read }: Query): Promise<void> {
    for (let attempt = 1; attempt <= dumpAttempts; attempt++) {
      start?.();
      const first = this.#takeSequences(1);
      const datagram = this.#write(write, first);
      const send = (transport: Transport) => {
        transport.sendNow(datagram);
      };
      const outcome = await this.#exchange(operation, send, first, 1, read);
      throwRefusal(operation, outcome);
      if (!outcome.interrupted) return;
    }
    throw new NetlinkError(operation, EINTR, { detail: `the table changed during each of ${dumpAttempts} attempts` });
  }

  /** Gives the socket up; the next call opens another. */
  close(): void {
    this.#transport?.close();
    this.#transport = undefined;
  }

  #takeSequences(count: number): number {
    const first = this.#sequence;
    this.#sequence = (first + count) >>> 0;
    return first;
  }

  #write(write: (writer: MessageWriter) => void, sequence: number): Uint8Array {
    this.#writer.clear();
    write(this.#writer);
    return this.#writer.finish(sequence);
  }

  async #exchange(
    operation: string,
    send: (transport: Transport) => Promise<void> | void,
    first: number,
    count: number,
    read: (reply: Message) => void = ignore,
  ): Promise<Outcome> {
    const outcome: Outcome = { refusals: [], interrupted: false, finished: false };
    try {
      const transport = (this.#transport ??= this.#open());
      await send(transport);
      while (!outcome.finished) {
        if (++this.#received % clockEvery === 0 && performance.now() > this.#sliceEndMs) await this.#yield();
        const datagram = transport.receive();
        if (datagram !== undefined) take(datagram, first, count, outcome, read);
        else if (!(await transport.wait(this.#timeoutMs))) throw new NetlinkError(operation, ETIMEDOUT);
      }
      return outcome;
    } catch (error) {
      this.close();
      throw error instanceof NetlinkError ? explained(operation, error, this.#timeoutMs) : error;
    }
  }

  async #yield(): Promise<void> {
    await setImmediate();
    this.#sliceEndMs = performance.now() + sliceMs;
  }
}

function ignore(): void {
  // Acknowledgements only.
}

/** Takes the answers of one datagram to the requests `first` .. `first + count - 1`; others are late ones of requests given up. */
function take(
  datagram: Uint8Array,
  first: number,
  count: number,
  outcome: Outcome,
  read: (reply: Message) => void,
): void {
  readMessages(datagram, (message) => {
    if (message.type === NLMSG_OVERRUN) throw new NetlinkError('receive from the kernel', ENOBUFS);
    const index = (message.sequence - first) >>> 0;
    if (index >= count || message.type === NLMSG_NOOP) return;
    if ((message.flags & NLM_F_DUMP_INTR) !== 0) outcome.interrupted = true;
    if (message.type !== NLMSG_ERROR && message.type !== NLMSG_DONE) {
      read(message);
      return;
    }
    const answer = readAcknowledgement(message);
    if (answer.errno !== 0) outcome.refusals.push({ index, ...answer });
    if (index === count - 1) outcome.finished = true;
  });
}

function throwRefusal(operation: string, { refusals }: Outcome): void {
  const [refusal] = refusals;
  if (refusal !== undefined) throw new NetlinkError(operation, refusal.errno, refusal);
}

function explained(operation: string, error: NetlinkError, timeoutMs: number): NetlinkError {
  const details: Readonly<Record<number, string>> = {
    [ETIMEDOUT]: `the kernel gave no answer for ${timeoutMs / 1000} s; what it did is unknown until the table is read again`,
    [ENOBUFS]: 'the kernel lost answers; what it did is unknown until the table is read again',
  };
  return new NetlinkError(operation, error.errno, { detail: details[error.errno] ?? error.detail, cause: error });
}
