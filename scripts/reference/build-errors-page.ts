import ts from 'typescript';
import { exitCodeOf, isErrorCode } from '../../src/core/error.ts';
import { codeOf, pageHead, tableOf } from './markdown.ts';
import { commentAbove, literalOf, readSource } from './read-source.ts';

/** Builds the error reference from the list of error codes and the comments in it. */
export function buildErrorsPage(): string {
  const file = 'src/core/error.ts';
  const source = readSource(file);
  const codes = literalOf(source, 'errorCodes', ts.isArrayLiteralExpression).elements;
  const prefixes = literalOf(source, 'exitCodes', ts.isObjectLiteralExpression).properties;
  return [
    pageHead('Errors', file),
    'Every failure has a `code` and a `message` that names the thing, usually a `hint` with the next step, and sometimes `details`. You see them on stderr, in `error` of a [JSON document](../command-line.md#json), in the [log](events.md), and as an [`AgentError`](../library.md#handle-errors) in the library. The list is closed. The first word of a code says who must act and decides the [exit code](../command-line.md#exit-codes).\n',
    tableOf(
      ['code', 'who acts'],
      prefixes.map((prefix) => {
        const [name, actor] = [prefix.name?.getText() ?? '', commentAbove(prefix).replace(/\.$/, '')];
        if (actor === '') throw new Error(`${file} does not say who acts on ${name}.`);
        return [codeOf(`${name}.…`), actor];
      }),
    ),
    tableOf(
      ['code', 'exit', 'meaning', 'what to do'],
      codes.map((code) => {
        const name = ts.isStringLiteral(code) ? code.text : '';
        const [, meaning = '', next = ''] = /^(.*?\.) (.*)$/.exec(commentAbove(code)) ?? [];
        if (!isErrorCode(name) || next === '')
          throw new Error(`${file} does not say what to do about ${name}.`);
        return [codeOf(name), String(exitCodeOf(name)), meaning, next];
      }),
    ),
  ].join('\n');
}
