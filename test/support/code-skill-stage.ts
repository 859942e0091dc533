import type { AgentOptions } from '../../src/agent/options.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { Script } from '../../src/models/scripted.ts';
import { fileStage, type FileStage } from './file-stage.ts';

/** What a code skill of a test says and does. */
export interface CodeSkillFiles {
  /** JSON Schema; any input is taken unless given. */
  readonly input?: JsonObject;
  readonly output?: JsonObject;
  /** Lines of the frontmatter. */
  readonly head?: string;
  /** Further files, by their paths in the folder. */
  readonly files?: Readonly<Record<string, string>>;
  /** The text of `src/index.ts`; none unless given. */
  readonly code?: string;
}

/** The files of code skills, below the folder `skills`. */
export function codeSkillFiles(skills: Readonly<Record<string, CodeSkillFiles>>): Record<string, string> {
  const all = Object.entries(skills).flatMap(([name, { code, files = {}, ...says }]) => {
    const own = { ...(code === undefined ? {} : { 'src/index.ts': code }), ...files };
    const placed = { 'cskill.md': cskillText(name, says), ...own };
    return Object.entries(placed).map(([path, text]) => [`skills/${name}/${path}`, text] as const);
  });
  return Object.fromEntries(all);
}

/** The text of a cskill.md. */
export function cskillText(
  name: string,
  { input, output, head = '' }: Pick<CodeSkillFiles, 'input' | 'output' | 'head'> = {},
): string {
  const fence = (schema: JsonObject): string => `\`\`\`json\n${JSON.stringify(schema)}\n\`\`\``;
  return [
    `---\nname: ${name}\ndescription: Does ${name}.\n${head}---\n`,
    `## Input Format\n\n${input === undefined ? 'Anything.' : fence(input)}\n`,
    ...(output === undefined ? [] : [`## Output Format\n\n${fence(output)}\n`]),
  ].join('\n');
}

/** An agent with these code skills, which run in real sandboxes; everything is allowed unless the options say otherwise. */
export function codeSkillStage(
  skills: Readonly<Record<string, CodeSkillFiles>>,
  script: Script = [],
  options: AgentOptions = {},
): FileStage {
  return fileStage(codeSkillFiles(skills), script, options);
}
