import type { AgentOptions } from '../../src/agent/options.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { Script } from '../../src/models/scripted.ts';
import { fileStage, type FileStage } from './file-stage.ts';

/** The contents of a test's code skill. */
export interface CodeSkillFiles {
  /** A JSON Schema. By default, any input is accepted. */
  readonly input?: JsonObject;
  readonly output?: JsonObject;
  /** Additional frontmatter lines. */
  readonly head?: string;
  /** More files of the skill, keyed by path relative to its folder. */
  readonly files?: Readonly<Record<string, string>>;
  /** The content of `src/index.ts`. By default, the file is not created. */
  readonly code?: string;
}

/** Returns the files of code skills, keyed by path below the folder `skills`. */
export function codeSkillFiles(skills: Readonly<Record<string, CodeSkillFiles>>): Record<string, string> {
  const all = Object.entries(skills).flatMap(([name, { code, files = {}, ...says }]) => {
    const own = { ...(code === undefined ? {} : { 'src/index.ts': code }), ...files };
    const placed = { 'cskill.md': cskillText(name, says), ...own };
    return Object.entries(placed).map(([path, text]) => [`skills/${name}/${path}`, text] as const);
  });
  return Object.fromEntries(all);
}

/** Returns the text of a `cskill.md`. */
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

/**
 * Creates an agent with these code skills, which run in real sandboxes. By default, every call is allowed.
 */
export function codeSkillStage(
  skills: Readonly<Record<string, CodeSkillFiles>>,
  script: Script = [],
  options: AgentOptions = {},
): FileStage {
  return fileStage(codeSkillFiles(skills), script, options);
}
