import { basename } from 'node:path';
import type { Scope } from '../../core/scope.ts';
import type { AgentSkillDefinition } from './definition.ts';
import { listFiles } from './list-files.ts';

/** Where a skill lies and which files it brings along, for a model; empty for one without a folder or other files. */
export async function aboutFiles({ hasFolder }: AgentSkillDefinition, scope: Scope): Promise<string> {
  const { dir, file } = scope.skill;
  if (!hasFolder || dir === '') return '';
  const { files, hasMore } = await scope.step('files', () => listFiles(dir, basename(file)));
  if (files.length === 0) return '';
  return [
    `Files of this skill, in ${dir}:`,
    ...files.map((path) => `- ${path}`),
    ...(hasMore ? ['- … (there are more)'] : []),
    'Read one with the `read` tool when it is needed; run scripts with `bash`.',
  ].join('\n');
}
