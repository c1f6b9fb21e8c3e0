import type { CheckType } from '../model/check-type.ts';
import { exec } from './checks/exec.ts';
import { http } from './checks/http.ts';
import { https } from './checks/https.ts';
import { tcp } from './checks/tcp.ts';

/** Every type of check, by the value of the key `type`. */
export const checkTypes: ReadonlyMap<string, CheckType> = new Map<string, CheckType>(
  [tcp, http, https, exec].map((type) => [type.name, type]),
);
