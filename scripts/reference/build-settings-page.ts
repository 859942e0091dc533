import { settingsDefinition } from '../../src/config/schema/definition.ts';
import type { Setting } from '../../src/config/schema/setting.ts';
import { codeOf, pageHead, tableOf } from './markdown.ts';

/** Builds the settings reference from the definition of the settings. */
export function buildSettingsPage(): string {
  return [
    pageHead('Keys of the settings', 'src/config/schema/definition.ts'),
    '[Configuration](../configuration.md) describes which file or variable wins and how to set a key. `skilled config explain <key>` explains one key. Editors check the files with the JSON Schema `skilled/schema/settings.json`.\n',
    'The column *project* says why skilled ignores a key, or a part of it, in the files of a project that you do not [trust](../safety.md#a-trusted-project). Parts of `skills.entries` are ignored there too: see [project settings](../configuration.md#project-settings).\n',
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
