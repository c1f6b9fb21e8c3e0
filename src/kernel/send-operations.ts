import type { Operation } from '../model/operation.ts';
import type { Acknowledgement } from '../netlink/acknowledgement.ts';
import type { Refusal } from '../netlink/connection.ts';
import { MessageWriter } from '../netlink/message-writer.ts';
import { encodeOperation } from './encode-operation.ts';
import type { Ipvs } from './ipvs.ts';

/** How much goes out in one datagram: well under the send buffer, and few enough calls; larger ones bring nothing more. */
const batchBytes = 1 << 17;
/** How long the kernel may take for one service, as it waits for all CPUs at a change of scheduler. */
const serviceMs = 150;
/** How long it may take to load the modules of schedulers: it runs modprobe within the call (ip_vs_sched.c). */
const modulesMs = 20_000;

/** The operations that the kernel refused, and its answers. */
export type Refusals = Map<Operation, Acknowledgement>;

interface Batch {
  readonly writer: MessageWriter;
  readonly operations: readonly Operation[];
  readonly graceMs: number;
}

/**
 * Sends operations in few large batches. While the kernel works on one, the next is written.
 * @throws {NetlinkError} when it is not known what became of some
 */
export async function sendOperations(ipvs: Ipvs, operations: readonly Operation[]): Promise<Refusals> {
  const refusals: Refusals = new Map();
  const writers = [new MessageWriter(), new MessageWriter()] as const;
  let batch = writeBatch(ipvs, operations, 0, writers[0]);
  for (let sent = 0, turn = 1; batch.operations.length > 0; turn ^= 1) {
    const current = batch;
    const pending = ipvs.connection.execute('change the IPVS table', current.writer, current.graceMs);
    sent += current.operations.length;
    batch = writeBatch(ipvs, operations, sent, writers[turn & 1] as MessageWriter);
    collect(refusals, current, await pending);
  }
  return refusals;
}

function writeBatch(ipvs: Ipvs, operations: readonly Operation[], from: number, writer: MessageWriter): Batch {
  writer.clear();
  let graceMs = 0;
  let next = from;
  for (let operation = operations[next]; operation !== undefined && writer.length < batchBytes;) {
    encodeOperation(writer, ipvs.family, operation);
    if ('service' in operation) graceMs = Math.max(graceMs, modulesMs) + serviceMs;
    operation = operations[++next];
  }
  return { writer, operations: operations.slice(from, next), graceMs };
}

function collect(into: Refusals, { operations }: Batch, refusals: readonly Refusal[]): void {
  for (const refusal of refusals) {
    const operation = operations[refusal.index];
    if (operation !== undefined) into.set(operation, refusal);
  }
}
