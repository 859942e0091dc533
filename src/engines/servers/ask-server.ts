import {
  optional,
  visible,
  type Output,
  type Scope,
  type ToolContent,
  type ToolRequest,
  type ToolResult,
} from '../../core/index.ts';
import { failedOutput } from '../loop/tools.ts';

/** Makes one request to a server and gives what it came to; what goes wrong is data. `name` is that of the skill. */
export async function askServer(
  name: string,
  scope: Scope,
  ask: (request: ToolRequest) => Promise<ToolResult>,
): Promise<Output> {
  const {
    signal,
    run: { idempotencyKey },
  } = scope;
  try {
    const result = await ask({ signal, idempotencyKey, onProgress: noteProgress(scope) });
    return outputOf(name, result, scope);
  } catch (thrown) {
    return failedOutput(thrown);
  }
}

const leastBetween = 250; // milliseconds
const longest = 200; // characters

/** Notes for whoever watches, a few in a second however many the server sends. */
function noteProgress(scope: Scope): NonNullable<ToolRequest['onProgress']> {
  let last = Number.NEGATIVE_INFINITY;
  return ({ done, total, message = '' }) => {
    const now = performance.now();
    if (now - last < leastBetween) return;
    last = now;
    const amount = total === undefined ? String(done) : `${done} of ${total}`;
    const said = visible(message.trim().slice(0, longest));
    scope.note(said === '' ? `Progress: ${amount}` : `Progress: ${amount}, ${said}`);
  };
}

const longestReason = 2_000; // characters of why a tool failed

/**
 * What a server gave as the output of a skill: texts as they are, structured content whole, bytes as artifacts of the
 * run. What is no text has a line that says what it is, and so has what was left out.
 */
export function outputOf(name: string, result: ToolResult, scope: Scope): Output {
  const { content, structured, isError, leftOut = 0 } = result;
  const parts = content.map((one, index) =>
    partOf(one, { name, index, isAlone: content.length === 1, scope }),
  );
  if (leftOut > 0) parts.push(`[${sizeOf(leftOut)} of the answer are left out: it was too large]`);
  const text = parts.join('\n').toWellFormed();
  if (isError) return failed(name, text);
  return { status: 'done', text, ...optional('value', structured) };
}

function failed(name: string, text: string): Output {
  const said = text.trim();
  const reason = said.length > longestReason ? `${said.slice(0, longestReason)}…`.toWellFormed() : said;
  const message = reason === '' ? `"${name}" failed, and said nothing more.` : `"${name}" failed: ${reason}`;
  const hint = looksConfined.test(reason) ? howToGrant : undefined;
  return {
    status: 'failed',
    text: message,
    error: { code: 'server.failed', message, ...optional('hint', hint) },
  };
}

/** Words of a program that misses a file, or the network: in a sandbox, that is what was not granted. */
const looksConfined =
  /\b(?:ENOENT|EACCES|EPERM|EROFS|ENOTFOUND|EAI_AGAIN|ENETUNREACH)\b|no such file|permission denied|read-only file system/i;
const howToGrant =
  'A server that is started here has only what is granted to it: "workspace", "hosts", and in settings "read".';

interface Around {
  readonly name: string;
  readonly index: number;
  /** A resource that is all of an answer needs no heading. */
  readonly isAlone: boolean;
  readonly scope: Scope;
}

function partOf(content: ToolContent, around: Around): string {
  switch (content.kind) {
    case 'text':
      return content.uri === undefined || around.isAlone ? content.text : `[${content.uri}]\n${content.text}`;
    case 'link':
      return `[${[content.uri, content.name, content.mediaType ?? ''].filter((part) => part !== '').join(', ')}]`;
    case 'blob':
      return keep(content, around);
  }
}

const mostKept = 990_000; // characters; an artifact is cut at a million, and half a picture is none

/** Keeps bytes with the run, as a `data:` address. */
function keep(
  { mediaType: said, base64, uri }: ToolContent & { readonly kind: 'blob' },
  { name, index, scope }: Around,
): string {
  const mediaType = /^[\w.+-]+\/[\w.+-]+$/.test(said) ? said : 'application/octet-stream';
  const what = [uri ?? '', mediaType, sizeOf(Math.floor((base64.length * 3) / 4))].filter(
    (part) => part !== '',
  );
  if (base64.length > mostKept) return `[${what.join(', ')}: too large to be kept]`;
  const artifact = `${name}/${scope.run.frameId}-${index + 1}`;
  scope.artifact({ name: artifact, mediaType, text: `data:${mediaType};base64,${base64}` });
  return `[${what.join(', ')}: kept as the artifact ${artifact}]`;
}

function sizeOf(bytes: number): string {
  return `${bytes.toLocaleString('en')} bytes`;
}
