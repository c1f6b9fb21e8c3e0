/** A duration for people: `500 ms`, `1.5 s`. */
export function formatDuration(durationMs: number): string {
  return durationMs < 1000 ? `${durationMs} ms` : `${durationMs / 1000} s`;
}
