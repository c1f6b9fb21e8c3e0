/**
 * Makes one TAP stream of several: whole test points, in the order in which they end, numbered anew. The last line of
 * each stream is `# exit CODE`.
 * @param {(line: string) => void} print
 */
export function merge(print) {
  /** What each program has not yet printed, whether that ends with a point, how many points it had, and how it ended. */
  const programs = new Map();
  let count = 0;
  let passing = true;
  print('TAP version 14');

  const flush = (program) => {
    for (const line of program.lines) print(line);
    program.lines = [];
    program.isPoint = false;
  };

  const point = (ok, rest) => {
    if (!ok) passing = false;
    return `${ok ? '' : 'not '}ok ${++count}${rest}`;
  };

  return {
    /**
     * @param {string} name of the program
     * @param {string} line
     */
    add(name, line) {
      if (!programs.has(name)) programs.set(name, { lines: [], isPoint: false, points: 0, failed: 0, code: undefined });
      const program = programs.get(name);
      if (program.isPoint && !line.startsWith(' ')) flush(program);
      const [isPoint, not, rest] = /^(not )?ok \d+(.*)$/.exec(line) ?? [];
      if (isPoint !== undefined) {
        program.lines.push(point(not === undefined, rest));
        program.isPoint = true;
        program.points++;
        if (not !== undefined) program.failed++;
      } else if (line.startsWith('# exit ')) program.code = Number(line.slice(7));
      else if (!/^TAP version|^1\.\.|^# (\{|time=)|^$/.test(line)) program.lines.push(line);
    },

    /**
     * @param {string} fault what else went wrong, or nothing
     * @param {readonly string[]} names of all programs that there should have been
     * @returns {boolean} whether all passed
     */
    end(fault, names) {
      const faults = fault === '' ? [] : [fault];
      for (const program of programs.values()) flush(program);
      for (const name of names) {
        const { points, failed, code } = programs.get(name) ?? { points: 0, failed: 0 };
        if (code === undefined) faults.push(`${name} did not run to its end`);
        else if (points === 0) faults.push(`${name} tested nothing`);
        else if (code !== 0 && failed === 0) faults.push(`${name} ended with code ${code}`);
      }
      for (const text of faults) print(point(false, ` - ${text}`));
      print(`1..${count}`);
      return passing;
    },
  };
}
