import { errnoCode, errnoWords } from './errno.ts';

/** What is known of a failed exchange with the kernel. */
interface NetlinkErrorOptions {
  /** More about the cause, such as the kernel's extended acknowledgement, or what to do about it. */
  readonly detail?: string;
  readonly cause?: unknown;
}

/** A failed exchange with the kernel: what was being done, and the error by number, name and in words. */
export class NetlinkError extends Error {
  /** What was being done, such as `read the virtual services`. */
  readonly operation: string;
  /** The error number, such as 2. */
  readonly errno: number;
  /** The error's name, such as `ENOENT`. */
  readonly code: string;
  /** The kernel's own explanation or advice; may be empty. */
  readonly detail: string;

  constructor(operation: string, errno: number, options: NetlinkErrorOptions = {}) {
    const detail = options.detail ?? '';
    const tail = detail === '' ? '' : `: ${detail}`;
    super(`cannot ${operation}: ${errnoWords(errno)} (${errnoCode(errno)})${tail}`, { cause: options.cause });
    this.name = 'NetlinkError';
    this.operation = operation;
    this.errno = errno;
    this.code = errnoCode(errno);
    this.detail = detail;
  }
}
