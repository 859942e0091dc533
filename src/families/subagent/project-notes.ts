import { isJsonObject } from '../../core/json.ts';
import type { Scope } from '../../core/scope.ts';
import { withinElement } from '../../core/text.ts';

/** What the project says to all who work in it, the first of these that is there. */
const files = ['AGENTS.md', 'CLAUDE.md'];

/** The notes of the workspace for a prompt, marked as such; empty when there are none. */
export async function readProjectNotes(scope: Scope): Promise<string> {
  if (scope.workspace === undefined) return '';
  for (const file of files) {
    const text = await readNotes(file, scope);
    if (text.trim() !== '') return markedNotes(file, text);
  }
  return '';
}

/** The file through the one boundary that every reading passes; a refusal is told to whoever watches. */
async function readNotes(file: string, scope: Scope): Promise<string> {
  const output = await scope.call('read', { file_path: file }, { asWritten: true, key: `notes:${file}` });
  if (output.status === 'failed') {
    if (output.error.code !== 'usage.not-found') scope.note(`${file} was not read: ${output.error.message}`);
    return '';
  }
  const content = isJsonObject(output.value) ? output.value['content'] : undefined;
  return typeof content === 'string' ? content : '';
}

/** Nothing in the notes can end the element that holds them. */
function markedNotes(file: string, text: string): string {
  return `<project_notes file="${file}">\n${withinElement(text.trim(), 'project_notes')}\n</project_notes>`;
}
