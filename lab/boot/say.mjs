/**
 * Tells the person at the terminal what the lab is doing, one line a step, away from the command's own output.
 * @param {string} step
 */
export function say(step) {
  process.stderr.write(`lab: ${step}\n`);
}
