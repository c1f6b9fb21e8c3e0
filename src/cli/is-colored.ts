/** Whether output may have colours: on a terminal, unless NO_COLOR is set (no-color.org). */
export function isColored(): boolean {
  return process.stdout.isTTY && !process.env['NO_COLOR'];
}
