import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toolsText } from '../../../test/support/table-stage.ts';
import { bundleOfText, nowhere } from '../../core/descriptor/bundle.ts';
import { parse } from './descriptor/parse.ts';
import { answers } from './prompts.ts';

const definition = parse(bundleOfText(toolsText, { ...nowhere, stem: 'tools' })).definition!;

const confirm = { text: 'Delete this record of Tools?', options: ['yes', 'no'] };
const choose = { text: 'Which one?', options: ['D-1 · Drill', 'D-2 · Drill', 'next', 'all', 'cancel'] };
const capture = { text: 'The new record in Tools needs name:' };

describe('words that are said while a question waits', () => {
  const cases: readonly (readonly [
    string,
    { readonly text: string; readonly options?: readonly string[] },
    readonly string[],
    readonly string[],
  ])[] = [
    [
      'at a preview are replies and corrections, and nothing else',
      confirm,
      [
        'yes',
        'Y',
        'ok',
        'no',
        'cancel',
        'never mind',
        'name "Big drill"',
        'no, name "Y"',
        'price 5, status ok',
        'change name to X',
        'hm',
      ],
      [
        'list tools',
        'count tools',
        'show D-2',
        'delete D-2',
        'set status to ok for D-2',
        'how is the weather in Rome?',
        'undo',
        'next',
      ],
    ],
    [
      'at a choice are numbers, keys, pages and the lines that were shown',
      choose,
      ['1', '#2', 'D-1', 'D-1 · Drill', 'next', 'all', 'cancel', 'no'],
      ['list tools', 'delete D-2', 'tell me a story please'],
    ],
    [
      'where a value is missing are anything but a whole request',
      capture,
      [
        'Drill',
        'a big red drill',
        '"Show case 12"',
        'Adder',
        'name "Drill"',
        'cancel',
        'D-17',
        '42',
        'name Drill, price 3',
      ],
      [
        'list tools',
        'count tools where price > 3',
        'show D-2',
        'undo',
        'delete all tools',
        'list areas',
        'how many areas are there?',
      ],
    ],
  ];
  for (const [name, question, answering, others] of cases)
    test(name, () => {
      assert.deepEqual(
        answering.filter((words) => !answers(definition, question, words)),
        [],
        'taken for requests',
      );
      assert.deepEqual(
        others.filter((words) => answers(definition, question, words)),
        [],
        'taken for answers',
      );
    });
});
