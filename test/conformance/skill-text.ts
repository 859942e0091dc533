import { parseSkill, RecursiveSkilledAgent, type Json } from '../../src/index.ts';

/** Returns the text of a SKILL.md with this body and additional frontmatter lines. */
export function skill(name: string, body = 'Do it.', head = ''): string {
  return `---\nname: ${name}\ndescription: Does ${name}.\n${head}---\n\n${body}\n`;
}

/** Returns the files of skills, keyed by path, from texts keyed by name. */
export function skillFiles(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [`.agents/skills/${name}/SKILL.md`, text]),
  );
}

/** A line for the frontmatter of a file that uses `$0` and `$1`. */
export const takesWords = "argument-hint: '[words]'\n";

/** Renders a body with arguments, without running its commands. By default, the file declares arguments. */
export function render(body: string, args?: Json, head = takesWords): string {
  const agent = new RecursiveSkilledAgent({ embeddings: false, models: { model: () => undefined } });
  agent.skills.register(parseSkill(skill('subject', body, head)));
  const { text } = agent.render('subject', { ...(args === undefined ? {} : { args }), session: 'mine' });
  return text.trim();
}
