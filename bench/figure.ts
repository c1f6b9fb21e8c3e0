/** One measured figure; the name ends in its unit. */
export interface Figure {
  readonly size: string;
  readonly name: string;
  readonly value: number;
}
