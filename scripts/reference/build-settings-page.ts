import { settingsDefinition } from '../../src/config/schema/definition.ts';
import type { Setting } from '../../src/config/schema/setting.ts';
import { codeOf, pageHead, tableOf } from './markdown.ts';

/** The reference of the settings, made of their definition. */
export function buildSettingsPage(): string {
  return [
    pageHead('Keys of the settings', 'src/config/schema/definition.ts'),
    'Which file or variable wins, and how a key is set, is told in [settings](../settings.md). `skilled config explain <key>` says it for one key. Editors check the files with the JSON Schema `skilled/schema/settings.json`.\n',
    'Under *project* stands why a key does not count, or only in part, in the files of a project that you do not [trust](../safety.md#a-trusted-project). Parts of `skills.entries` do not count there either: [what a project may not say](../settings.md#what-a-project-may-not-say).\n',
    tableOf(
      ['key', 'value', 'default', 'also set by', 'meaning', 'project'],
      settingsDefinition.map((setting) => [
        codeOf(setting.key),
        setting.shape.expected,
        defaultOf(setting),
        [setting.variable, setting.flag].flatMap((way) => (way === undefined ? [] : codeOf(way))).join(', '),
        setting.description,
        setting.inProject?.reason ?? '',
      ]),
    ),
  ].join('\n');
}

function defaultOf({ default: usual, byDefault = '' }: Setting): string {
  return usual === undefined ? byDefault : codeOf(JSON.stringify(usual));
}
