/** A key of the file, from its root: names of tables and keys, and indexes into lists. */
export type Path = readonly (string | number)[];

/** Where something stands, as far as it is known without looking at the text again. */
export interface Place {
  readonly file: string;
  readonly path: Path;
}

/** A problem whose line and column have not been looked up yet. */
export interface Finding extends Place {
  readonly message: string;
  readonly severity: 'error' | 'warning';
  /** Whether the key itself is meant rather than its value. */
  readonly atKey?: boolean;
  /** The earlier place that this one clashes with. */
  readonly first?: Place;
}

/** An error at a place. */
export function errorAt(place: Place, message: string, first?: Place): Finding {
  return { ...place, message, severity: 'error', ...(first && { first }) };
}

/** A warning at a place. */
export function warningAt(place: Place, message: string): Finding {
  return { ...place, message, severity: 'warning' };
}

/** The place of a key below a place. */
export function below(place: Place, ...path: Path): Place {
  return { file: place.file, path: [...place.path, ...path] };
}
