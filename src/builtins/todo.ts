import { AgentError, defineSkill, isJsonObject, zod, type Json, type JsonObject } from '../core/index.ts';

const maxItems = 100;
const marks = { pending: '[ ]', doing: '[>]', done: '[x]' } as const;

/** An item of the list. */
type TodoItem = { readonly text: string; readonly status: keyof typeof marks };

/** Keeps a list of the steps of a longer task, which the user sees. */
export const todo = defineSkill({
  name: 'todo',
  description:
    'Shows the user a list of the steps of a longer task and how far each one is. Pass the whole list each time; it replaces ' +
    'the list before. Without items, returns the current list. Use it for tasks with three steps or more.',
  permission: 'Todo',
  // It changes only the list that the conversation itself keeps.
  readOnly: true,
  sequential: true,
  allowedSkills: [],
  renameInput: renameItems,
  input: () => {
    const { z } = zod();
    const item = z.strictObject({
      text: z.string().min(1).max(500).describe('The step, in a few words.'),
      status: z.enum(['pending', 'doing', 'done']).default('pending').describe('How far the step is.'),
    });
    return z.strictObject({
      items: z.array(item).max(maxItems).optional().describe('All steps, in order. An empty list clears it.'),
    });
  },
  async run({ items }, scope) {
    if (items !== undefined && items.filter(({ status }) => status === 'doing').length > 1) {
      throw new AgentError('usage.bad-input', 'Only one step can have the status "doing".', {
        hint: 'Set the others to "pending" or "done".',
      });
    }
    if (items !== undefined) {
      scope.memory.set('items', items);
      scope.note(textOf(items), { level: 'show' });
    }
    const list = items ?? itemsIn(await scope.memory.get('items'));
    return { status: 'done', text: textOf(list), value: { items: list } };
  },
});

function itemsIn(stored: Json | undefined): readonly TodoItem[] {
  return Array.isArray(stored) ? (stored as readonly TodoItem[]) : [];
}

function textOf(items: readonly TodoItem[]): string {
  if (items.length === 0) return 'The list is empty.';
  return items.map(({ text, status }) => `${marks[status]} ${text}`).join('\n');
}

const otherStatus: Readonly<Record<string, string>> = { in_progress: 'doing', completed: 'done' };

/** Accepts the names that other programs use for the list, its texts and its statuses. */
function renameItems(input: JsonObject): JsonObject {
  const { todos, plan, ...others } = input;
  const items = others['items'] ?? todos ?? plan;
  if (!Array.isArray(items)) return items === undefined ? others : { ...others, items };
  return { ...others, items: items.map((item: Json) => (isJsonObject(item) ? renameItem(item) : item)) };
}

function renameItem({
  content,
  step,
  activeForm: _form,
  id: _id,
  priority: _rank,
  ...item
}: JsonObject): JsonObject {
  const text = item['text'] ?? content ?? step;
  const { status } = item;
  const known = typeof status === 'string' ? (otherStatus[status] ?? status) : status;
  return {
    ...item,
    ...(text === undefined ? {} : { text }),
    ...(known === undefined ? {} : { status: known }),
  };
}
