import { schemaFence } from '../../core/json/schema.ts';
import type { JsonObject } from '../../core/json.ts';
import type { CodeSkillDefinition } from './definition.ts';

/** What a skill promises its callers, in Markdown, for whoever writes its code; the same for the same descriptor. Pure. */
export function buildContract(definition: CodeSkillDefinition): string {
  const {
    description,
    input,
    output,
    inputFormat,
    outputFormat,
    constraints = '',
    examples = '',
  } = definition;
  const sections = [
    ['Description', description],
    ['Input Format', formatOf(inputFormat, input)],
    ['Output Format', formatOf(outputFormat, output)],
    ['Constraints', constraints],
    ['Examples', examples],
  ] as const;
  const written = sections.filter(([, text]) => text !== '');
  return written.map(([heading, text]) => `## ${heading}\n\n${text}\n`).join('\n');
}

/** A format in words, with its schema where the words are without it. */
function formatOf(words = '', schema: JsonObject | undefined): string {
  if (schema === undefined) return words;
  const json = JSON.stringify(schema);
  const stated = schemaFence({ text: words, line: 1 }, '', []);
  if (stated !== undefined && JSON.stringify(stated) === json) return words;
  const fence = `\`\`\`json\n${json}\n\`\`\``;
  return words === '' ? fence : `${words}\n\n${fence}`;
}
