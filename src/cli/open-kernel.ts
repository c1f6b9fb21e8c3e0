import type { Kernel } from '../kernel/kernel.ts';
import type { Options } from './command.ts';

/** `--kernel linux|memory`, for the commands that need a kernel. */
export const kernelOption = { kernel: { type: 'string', default: 'linux' } } as const satisfies Options;

/** The help of that option. */
export const kernelHelp = '  --kernel memory   an in-memory kernel in place of the real one: no traffic is balanced';

/** The kernel that `--kernel` names. @throws {Error} when there is no such kind, or the real one cannot be used */
export async function openKernel(kind: unknown): Promise<Kernel> {
  if (kind === 'memory') return (await import('../kernel/memory-kernel.ts')).memoryKernel();
  if (kind === 'linux') return (await import('../kernel/linux-kernel.ts')).openLinuxKernel();
  throw new Error(`no such kernel: ${String(kind)} (expected "linux" or "memory")`);
}
