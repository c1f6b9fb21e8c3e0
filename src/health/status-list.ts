/** Whether an HTTP status code is in a list of codes (`200`), classes (`"2xx"`) and ranges (`"200-399"`). */
export function inStatusList(list: readonly (number | string)[], code: number): boolean {
  return list.some((item) => {
    const [from = '', to = from] = String(item).split('-');
    return code >= Number(from.replaceAll('x', '0')) && code <= Number(to.replaceAll('x', '9'));
  });
}
