import { readFile } from 'node:fs/promises';

/** A user's and its group's numbers. */
export interface User {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Looks a user up in /etc/passwd.
 * @throws {Error} when it is not there
 */
export async function findUser(name: string): Promise<User> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n');
  const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
  if (uid === undefined || gid === undefined) throw new Error(`user ${name} is not in /etc/passwd`);
  return { uid: Number(uid), gid: Number(gid) };
}
