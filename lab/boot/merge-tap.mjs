/**
 * Makes one TAP stream of several: whole test points, in the order in which they end, numbered anew.
 * @param {(line: string) => void} print
 */
export function merge(print) {
  /** @type {Map<string, { lines: string[], point: boolean }>} what each lane has not yet printed, and whether it ends with a point */
  const open = new Map();
  const planned = new Set();
  let count = 0;
  let passing = true;
  print('TAP version 14');

  const flush = (block) => {
    for (const line of block.lines) print(line);
    block.lines = [];
    block.point = false;
  };

  const addPoint = (ok, rest) => {
    if (!ok) passing = false;
    return `${ok ? '' : 'not '}ok ${++count}${rest}`;
  };

  return {
    /**
     * @param {string} lane
     * @param {string} line
     */
    add(lane, line) {
      if (!open.has(lane)) open.set(lane, { lines: [], point: false });
      const block = open.get(lane);
      if (block.point && !line.startsWith(' ')) flush(block);
      const [point, not, rest] = /^(not )?ok \d+(.*)$/.exec(line) ?? [];
      if (point !== undefined) {
        block.lines.push(addPoint(not === undefined, rest));
        block.point = true;
      } else if (/^1\.\.\d+/.test(line)) planned.add(lane);
      else if (!/^TAP version|^# (\{|time=)|^$/.test(line)) block.lines.push(line);
    },

    /**
     * @param {string} fault what else went wrong, or nothing
     * @param {number} lanes how many streams should have come to their end
     * @returns {boolean} whether all passed
     */
    end(fault, lanes) {
      for (const block of open.values()) flush(block);
      const faults = fault === '' ? [] : [fault];
      if (planned.size !== lanes) faults.push(`${lanes - planned.size} of ${lanes} lanes ended early`);
      for (const text of faults) print(addPoint(false, ` - ${text}`));
      print(`1..${count}`);
      return passing;
    },
  };
}
