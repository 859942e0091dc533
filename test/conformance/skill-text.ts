import { parseSkill, RecursiveSkilledAgent, type Json } from '../../src/index.ts';

/** The text of a SKILL.md: more lines of its head, and its body. */
export function skill(name: string, body = 'Do it.', head = ''): string {
  return `---\nname: ${name}\ndescription: Does ${name}.\n${head}---\n\n${body}\n`;
}

/** A folder of skills by their names, as files of a stage. */
export function skillFiles(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [`.agents/skills/${name}/SKILL.md`, text]),
  );
}

/** What a body comes to with arguments, without its commands being run. */
export function render(body: string, args?: Json, head = ''): string {
  const agent = new RecursiveSkilledAgent({ embeddings: false, models: { model: () => undefined } });
  agent.skills.register(parseSkill(skill('subject', body, head)));
  const { text } = agent.render('subject', { ...(args === undefined ? {} : { args }), session: 'mine' });
  return text.trim();
}
