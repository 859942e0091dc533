import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ErrorData } from '../../core/error.ts';
import { isJsonObject, type Json } from '../../core/json.ts';
import type { RunResult } from '../../core/run.ts';
import type { RunArtifact } from '../../views/run-result.ts';
import type { ServeOptions } from './serving.ts';

type Content = CallToolResult['content'][number];

type Pasteable = ServeOptions['pasteable'];

/** What a call came to, as its client gets it: the text, an object as structured content, what was made, or the failure as data. */
export function toolResult(
  result: RunResult,
  artifacts: readonly RunArtifact[],
  { hasOutput, pasteable }: { readonly hasOutput: boolean; readonly pasteable: Pasteable },
): CallToolResult {
  const { runId, text, value, error } = result;
  if (!result.ok)
    return failure(runId, error ?? { code: 'skill.failed', message: text || 'It did not end.' }, pasteable);
  const structured = value !== undefined && isJsonObject(value) ? value : undefined;
  if (hasOutput && structured === undefined)
    return failure(runId, {
      code: 'skill.no-result',
      message: `The skill "${result.skill}" gave no value of the kind that it describes.`,
      hint: 'Correct the skill, or take the description of its output out of its file.',
    });
  return {
    content: [...textsOf(text, value), ...artifacts.map((artifact) => contentOf(runId, artifact, pasteable))],
    ...(structured === undefined ? {} : { structuredContent: structured }),
    _meta: { [runKey]: runId },
  };
}

/** A failure in words: what happened, what to do next, and its code. */
export function failure(
  runId: string,
  { code, message, hint = '' }: ErrorData,
  pasteable: Pasteable = (same) => same,
): CallToolResult {
  const text = [message, ...(hint === '' ? [] : [pasteable(hint)]), `(${code})`].join('\n');
  return {
    ...{ isError: true, content: [{ type: 'text', text }] },
    ...(runId === '' ? {} : { _meta: { [runKey]: runId } }),
  };
}

/** Where the id of its run stands in a result. */
const runKey = 'skilled/run';

function textsOf(text: string, value: Json | undefined): readonly Content[] {
  const json = value === undefined || typeof value === 'string' ? value : JSON.stringify(value);
  const texts = isSame(text, json) ? [text] : [text, json];
  const said = texts.filter((one) => one !== undefined && one !== '');
  return (said.length === 0 ? [''] : said).map((one) => ({ type: 'text', text: one ?? '' }));
}

/** Whether the text already says the value, whatever the blanks in it. */
function isSame(text: string, json: string | undefined): boolean {
  return json === undefined || text.replace(/\s/g, '') === json.replace(/\s/g, '');
}

const mostLetters = 20_000;

/** An artifact whole, one of bytes as bytes, or the command that prints it where it is too long. */
function contentOf(runId: string, artifact: RunArtifact, pasteable: Pasteable = (same) => same): Content {
  const { name, number, mediaType, text } = artifact;
  const blob = /^data:[^,]*;base64,(.*)$/s.exec(text)?.[1];
  if (blob !== undefined && mediaType.startsWith('image/'))
    return { type: 'image', mimeType: mediaType, data: blob };
  if (text.length > mostLetters) {
    const command = pasteable(`\`skilled artifacts ${runId} ${number}\``);
    return { type: 'text', text: `Made "${name}" (${text.length} characters): ${command}` };
  }
  const uri = `skilled://runs/${runId}/artifacts/${number}/${encodeURIComponent(name)}`;
  const known = { uri, mimeType: mediaType };
  return { type: 'resource', resource: blob === undefined ? { ...known, text } : { ...known, blob } };
}
