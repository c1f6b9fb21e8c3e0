/**
 * Makes one TAP stream of several: whole test points, in the order in which they end, numbered anew. The last line of
 * each stream is `# exit CODE`.
 * @param {(line: string) => void} print
 */
export function merge(print) {
  /** What each lane has not yet printed, whether that ends with a point, whether a point failed, and how it ended. */
  const lanesByName = new Map();
  let count = 0;
  let passing = true;
  print('TAP version 14');

  const flush = (lane) => {
    for (const line of lane.lines) print(line);
    lane.lines = [];
    lane.point = false;
  };

  const point = (ok, rest) => {
    if (!ok) passing = false;
    return `${ok ? '' : 'not '}ok ${++count}${rest}`;
  };

  return {
    /**
     * @param {string} name of the lane
     * @param {string} line
     */
    add(name, line) {
      if (!lanesByName.has(name)) lanesByName.set(name, { lines: [], point: false, failed: false, code: undefined });
      const lane = lanesByName.get(name);
      if (lane.point && !line.startsWith(' ')) flush(lane);
      const [isPoint, not, rest] = /^(not )?ok \d+(.*)$/.exec(line) ?? [];
      if (isPoint !== undefined) {
        lane.lines.push(point(not === undefined, rest));
        lane.point = true;
        lane.failed ||= not !== undefined;
      } else if (line.startsWith('# exit ')) lane.code = Number(line.slice(7));
      else if (!/^TAP version|^1\.\.|^# (\{|time=)|^$/.test(line)) lane.lines.push(line);
    },

    /**
     * @param {string} fault what else went wrong, or nothing
     * @param {number} lanes how many streams there should have been
     * @returns {boolean} whether all passed
     */
    end(fault, lanes) {
      const faults = fault === '' ? [] : [fault];
      for (const [name, lane] of lanesByName) {
        flush(lane);
        if (lane.code === undefined) faults.push(`lane ${name} ended early`);
        else if (lane.code !== 0 && !lane.failed) faults.push(`lane ${name} ended with code ${lane.code}`);
      }
      if (lanesByName.size !== lanes) faults.push(`${lanesByName.size} of ${lanes} lanes said anything`);
      for (const text of faults) print(point(false, ` - ${text}`));
      print(`1..${count}`);
      return passing;
    },
  };
}
