import {
  isPicture,
  optional,
  visible,
  type Output,
  type Scope,
  type ToolContent,
  type ToolRequest,
  type ToolResult,
} from '../../core/index.ts';
import { failedOutput } from '../loop/tools.ts';

/**
 * Sends a request to a server and returns its result as the output of the skill `name`. Failures are also
 * returned as outputs.
 */
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
    const output = outputOf(name, result, scope);
    return output.status === 'done' ? { ...output, ...(await picturesOf(name, result, scope)) } : output;
  } catch (thrown) {
    return failedOutput(thrown);
  }
}

/** Stores the pictures of a result with the session, so that a model can see them. */
async function picturesOf(
  name: string,
  { content }: ToolResult,
  scope: Scope,
): Promise<Pick<Output & { readonly status: 'done' }, 'attachments'>> {
  const pictures = content
    .flatMap((one) => (one.kind === 'blob' ? [{ name, mediaType: one.mediaType, data: one.base64 }] : []))
    .filter(isPicture);
  if (pictures.length === 0) return {};
  return { attachments: await Promise.all(pictures.map((one) => scope.context.attach(one))) };
}

const leastBetween = 250; // The minimum time between notes, in milliseconds.
const longest = 200; // The maximum length of a note, in characters.

/** Creates a function that shows the server's progress as notes, at most four per second. */
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

const longestReason = 2_000; // The maximum length of a tool's error message, in characters.

/**
 * Converts a server's result to the output of a skill. Keeps text and structured content in full, and stores
 * binary data as artifacts. Describes links and omitted content in one line each.
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
  const message = reason === '' ? `"${name}" failed without a message.` : `"${name}" failed: ${reason}`;
  const hint = looksConfined.test(reason) ? howToGrant : undefined;
  return {
    status: 'failed',
    text: message,
    error: { code: 'server.failed', message, ...optional('hint', hint) },
  };
}

/**
 * Matches errors about access to a file or the network. In a sandbox, the usual cause is a missing
 * permission.
 */
const looksConfined =
  /\b(?:ENOENT|EACCES|EPERM|EROFS|ENOTFOUND|EAI_AGAIN|ENETUNREACH)\b|no such file|permission denied|read-only file system/i;
const howToGrant =
  'A local server can access only what you grant it with "workspace", "hosts" and, in the settings, "read".';

interface Around {
  readonly name: string;
  readonly index: number;
  /** Whether the resource is the only content of the result. In that case, the resource needs no heading. */
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
      return storeBlob(content, around);
  }
}

// Artifacts are truncated at a million characters, which would corrupt an image.
const maxCharacters = 990_000;

/** Stores binary data as an artifact that contains a `data:` URL. */
function storeBlob(
  { mediaType: said, base64, uri }: ToolContent & { readonly kind: 'blob' },
  { name, index, scope }: Around,
): string {
  const mediaType = /^[\w.+-]+\/[\w.+-]+$/.test(said) ? said : 'application/octet-stream';
  const what = [uri ?? '', mediaType, sizeOf(Math.floor((base64.length * 3) / 4))].filter(
    (part) => part !== '',
  );
  if (base64.length > maxCharacters) return `[${what.join(', ')}: too large to be kept]`;
  const artifact = `${name}/${scope.run.frameId}-${index + 1}`;
  scope.artifact({ name: artifact, mediaType, text: `data:${mediaType};base64,${base64}` });
  return `[${what.join(', ')}: kept as the artifact ${artifact}]`;
}

function sizeOf(bytes: number): string {
  return `${bytes.toLocaleString('en')} bytes`;
}
