const unitsMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Milliseconds of `500ms`, `2s`, `5m`, `1h` or `1d`; undefined when the text is no duration. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,15})(ms|s|m|h|d)$/.exec(text);
  return match ? Number(match[1]) * unitsMs[match[2] as keyof typeof unitsMs] : undefined;
}
