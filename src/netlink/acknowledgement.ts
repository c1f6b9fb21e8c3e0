import { AttributeReader } from './attribute-reader.ts';
import { littleEndian } from './byte-order.ts';
import type { Message } from './message-reader.ts';
import { NLM_F_ACK_TLVS, NLM_F_CAPPED, NLMSGERR_ATTR_MSG, NLMSG_DONE, NLMSG_HDRLEN } from './protocol.ts';

const EBADMSG = 74;

/** The kernel's verdict on a request: 0 or an error number, and its extended acknowledgement's text, often empty. */
export interface Acknowledgement {
  readonly errno: number;
  readonly detail: string;
}

/** Reads an `NLMSG_ERROR` (which is an acknowledgement when its error is 0) or an `NLMSG_DONE`. */
export function readAcknowledgement(message: Message): Acknowledgement {
  const { view, start, end } = message;
  if (end - start < 4) return { errno: EBADMSG, detail: 'acknowledgement is cut' };
  const errno = -view.getInt32(start, littleEndian);
  return { errno, detail: (message.flags & NLM_F_ACK_TLVS) === 0 ? '' : extendedText(message) };
}

function extendedText(message: Message): string {
  const attributes = new AttributeReader(message.view, message.start + 4 + echoedLength(message), message.end);
  let text = '';
  while (attributes.next()) if (attributes.type === NLMSGERR_ATTR_MSG) text = attributes.text();
  return text;
}

/** How much of the request is repeated: its header, and its payload too when the answer is not capped and tells of an error. */
function echoedLength({ type, flags, view, start, end }: Message): number {
  if (type === NLMSG_DONE) return 0;
  const errored = view.getInt32(start, littleEndian) !== 0;
  if (!errored || (flags & NLM_F_CAPPED) !== 0 || end - start < 4 + NLMSG_HDRLEN) return NLMSG_HDRLEN;
  return (view.getUint32(start + 4, littleEndian) + 3) & ~3;
}
