import { readFile, stat } from 'node:fs/promises';
import type { SecureContext } from 'node:tls';
import { reasonOf } from './reason.ts';

const cache = new Map<string, { readonly mtimeMs: number; readonly context: SecureContext }>();

/**
 * The TLS context that trusts the certificates of a PEM file, or those built into Node when there is none.
 * Making one is costly, so it is kept until the file changes.
 * @throws {Error} when the file cannot be read or holds no certificate
 */
export async function secureContext(caFile = ''): Promise<SecureContext> {
  const { createSecureContext } = await import('node:tls');
  try {
    const mtimeMs = caFile === '' ? 0 : (await stat(caFile)).mtimeMs;
    const kept = cache.get(caFile);
    if (kept?.mtimeMs === mtimeMs) return kept.context;
    const context = createSecureContext(caFile === '' ? {} : { ca: await readCertificates(caFile) });
    cache.set(caFile, { mtimeMs, context });
    return context;
  } catch (error) {
    throw new Error(`ca ${caFile}: ${reasonOf(error)}`, { cause: error });
  }
}

async function readCertificates(caFile: string): Promise<string> {
  const text = await readFile(caFile, 'utf8');
  // OpenSSL takes a file without certificates in silence, and then trusts nobody.
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw new Error('holds no certificate in PEM form');
  return text;
}
