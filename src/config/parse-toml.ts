import { parse } from 'toml';
import type { Table } from './table.ts';

/** A parsed text, or why and where (from 1) it is not TOML. */
export type ParsedToml =
  { readonly value: Table } | { readonly message: string; readonly line: number; readonly column: number };

/** Parses TOML 1.1. */
export function parseToml(text: string): ParsedToml {
  try {
    return { value: parse(text) as Table };
  } catch (error) {
    return syntaxProblem(error as TomlError, text);
  }
}

interface TomlError extends Error {
  readonly line?: number;
  readonly column?: number;
  readonly location?: { readonly start: { readonly line: number; readonly column: number } };
  readonly found?: string | null;
  readonly expected?: readonly { readonly type: string; readonly text?: string }[];
}

function syntaxProblem(error: TomlError, text: string): ParsedToml {
  const { line = 1, column = 1 } = error.location?.start ?? error;
  const message = error.location ? syntaxMessage(error) : ruleMessage(error.message, line, text);
  return { message, line, column };
}

/** The parser lists every character that could follow; a person needs the few that end or separate things. */
function syntaxMessage({ found, expected = [] }: TomlError): string {
  const found_ = found === null || found === undefined ? 'the end of the file' : JSON.stringify(found);
  const marks = expected.flatMap(({ type, text }) => (type === 'literal' && text !== undefined ? [text] : []));
  const wanted = [...new Set(marks)].filter((mark) => [']', '}', '=', '"', "'", '"""', "'''", ',', '.'].includes(mark));
  const what = found === '\n' || found === '\r' ? 'the end of the line' : found_;
  if (wanted.includes('"') && wanted.includes("'"))
    return `not TOML: unexpected ${what} (expected a value; text needs quotes)`;
  return wanted.length === 0 || wanted.length > 4
    ? `not TOML: unexpected ${what}`
    : `not TOML: unexpected ${what} (expected ${wanted.map((mark) => `'${mark}'`).join(' or ')})`;
}

function ruleMessage(message: string, line: number, text: string): string {
  const said = message.replace(/\.$/, '').replace(/^./, (letter) => letter.toLowerCase());
  if (!message.includes('redefine')) return `not TOML: ${said}`;
  const lines = text.split(/\r?\n/, line);
  const subject = keyOf(lines[line - 1] ?? '');
  const first = lines.findIndex((one) => keyOf(one) === subject) + 1;
  return `not TOML: ${said}${first > 0 && first < line ? ` (first at line ${first})` : ''}`;
}

/** The header or key of a line, to find where it stood first. */
function keyOf(line: string): string {
  return line.replace(/[#=].*$/, '').replaceAll(/[\s[\]]/g, '');
}
