/** Why an attempt failed, by errno or by the code of Node and OpenSSL. */
const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ECONNABORTED: 'connection aborted',
  EPIPE: 'connection closed while sending',
  EHOSTUNREACH: 'no route to host',
  EHOSTDOWN: 'host is down',
  ENETUNREACH: 'network unreachable',
  ENETDOWN: 'network is down',
  ETIMEDOUT: 'connection timed out',
  ENOPROTOOPT: 'protocol not available',
  EADDRNOTAVAIL: 'no local address or no free local port for this target',
  EMFILE: 'this process is out of file descriptors (raise LimitNOFILE)',
  ENFILE: 'this host is out of file descriptors (raise fs.file-max)',
  ENOBUFS: 'this host is out of network buffers',
  EAGAIN: 'this host is out of resources (ports, processes or memory)',
  ENOMEM: 'this host is out of memory',
  EPERM: 'not permitted (a local firewall rule?)',
  EACCES: 'permission denied',
  ENOENT: 'no such file',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed (set ca, or verify = false)',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is of an unknown authority (set ca, or verify = false)',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate is of an unknown authority (set ca, or verify = false)',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate is of an unknown authority (set ca, or verify = false)',
  HPE_HEADER_OVERFLOW: 'response headers are too large',
};

/** The reason of a failure in words, one line, lower-case: `connection refused`, `TLS: wrong version number`. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code = '', reason = '', syscall } = error as { code?: string; reason?: string; syscall?: string };
  // Node calls an end that comes too early a reset as well; only the kernel's own names a system call.
  if (code === 'ECONNRESET' && syscall === undefined) return 'connection closed too early';
  const known = words[code];
  if (known !== undefined) return known;
  if (code.startsWith('HPE_')) return `not an HTTP response: ${reason || error.message}`;
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) return `TLS: ${reason || openSslReason(error.message)}`;
  const line = error.message.split('\n', 1)[0] ?? '';
  return line.charAt(0).toLowerCase() + line.slice(1);
}

/** The part for people of `write EPROTO 80…:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:….c:350:`. */
function openSslReason(message: string): string {
  return /:SSL routines:[^:]*:([^:]+)/.exec(message)?.[1] ?? message.trim();
}
