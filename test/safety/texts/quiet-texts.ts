const span = '!`touch PWNED`';
const fence = '```!\ntouch PWNED\n```';

/** Texts that contain something like a command that is not one, keyed by description. */
export const quietProse: Readonly<Record<string, string>> = {
  'history expansion': '`!` triggers history expansion (`set +H` turns it off, `touch PWNED` does not).',
  'a shouted word': 'Do it now!`touch PWNED` comes later.',
  'a bang in brackets': `Write (${span}) or "${span}" or **${span}** or _${span}_ or /${span}.`,
  'an escaped bang': `Write \\${span} in a file.`,
  'an escaped backtick': 'Write !\\`touch PWNED` or \\`!`touch PWNED`.',
  'two backticks': 'Write ``!`touch PWNED` `` or !``touch PWNED`` or ` !``touch PWNED`` `.',
  'a blank between': 'Well! `touch PWNED` and\n!\n`touch PWNED`',
  'two lines': 'Well !`touch\nPWNED` and !`touch PWNED\n` there.',
  'no end': 'Well !`touch PWNED and no more.',
  'a span of another': '`x !`touch PWNED` y` and `` ` !`touch PWNED` ` ``.',
  'other characters':
    '！`touch PWNED` and !｀touch PWNED｀ and !´touch PWNED´ and !‘touch PWNED’ ¡`touch PWNED`',
  'nothing to be seen before it': `\u200b${span} \u2060${span} \u00ad${span}`,
  'a link': `[ ${span} ](https://example.org) and [a\n${span}](x) and [ ${span} ][x]\n\n[x]: https://example.org`,
  'a picture': `![ ${span} ](x.png) and [![ ${span} ](x.png)](y)`,
  'a title': `[x](y " ${span} ") and\n\n[z]: w " ${span} "`,
  'a place': `<https://example.org/${span}> and [x](< ${span} >)`,
  'a shell prompt': '$ `touch PWNED` and % !`` and !` ` and !`',
  'code of its own': `    ${span}\n\n\t${span}\n\n- a\n\n      ${span}`,
};

/** The same in tables. */
export const quietTables: Readonly<Record<string, string>> = {
  types: '| from | to |\n|---|---|\n| `Float!` | `Float!` |\n| `[Int!]!` | `touch PWNED` |',
  cells: `| a | b |\n|---|---|\n| ${span} | x |\n| x | ${span} |\n|${span}|${span}|`,
  headings: `| ${span} | b |\n|---|---|\n| c | d |`,
  'without edges': `a | ${span}\n--- | ---\nx ! | ${span}\n${span} | y`,
  'in a list': `- one\n\n  | a | b |\n  |---|---|\n  | ${span} | x |`,
  bars: '| a | b |\n|---|---|\n| `a \\| !`touch PWNED` | b |',
};

/** The same in fences that are not commands, or that show one. */
export const quietFences: Readonly<Record<string, string>> = {
  'in a fence': `\`\`\`md\n${span}\n\`\`\`\n\n~~~\n${span}\n~~~`,
  'in a longer fence': `\`\`\`\`md\n${fence}\n\`\`\`\`\n\n~~~md\n${fence}\n~~~`,
  'in a fence in a longer one': `\`\`\`\`\`\n\`\`\`\`md\n${fence}\n\`\`\`\`\n${span}\n\`\`\`\`\``,
  waves: '~~~!\ntouch PWNED\n~~~',
  'four backticks': '````!\ntouch PWNED\n````',
  'a language': '```!bash\ntouch PWNED\n```\n\n```! bash\ntouch PWNED\n```\n\n```bash !\ntouch PWNED\n```',
  'another word': '```!!\ntouch PWNED\n```\n\n```{!}\ntouch PWNED\n```\n\n```\\!\ntouch PWNED\n```',
  'away from the edge': ' ```!\n touch PWNED\n ```\n\n   ```!\n   touch PWNED\n   ```',
  'in a list': '- ```!\n  touch PWNED\n  ```\n\n1. one\n\n   ```!\n   touch PWNED\n   ```',
  'no end': '```!\ntouch PWNED\n``\n~~~\n',
  'a longer end is missing': '````\n```!\ntouch PWNED\n```\n',
};

/** The same in HTML and comments. */
export const quietHtml: Readonly<Record<string, string>> = {
  'a comment': `<!-- ${span} -->\n\nwell <!-- ${span} --> there`,
  'a comment over lines': `<!--\n${span}\n\n${fence}\n-->`,
  'a comment without end': `<!-- never closed\n\n${span}\n\n${fence}`,
  'a block': `<div>\n${span}\n</div>\n\n<pre>\n\n${fence}\n\n</pre>`,
  'a tag': `well <b> ${span} </b> and <i title=" ${span} ">x</i> and <kbd>\n${span}</kbd>`,
  'a script': `<script>\n${span}\n</script>\n\n<style>\n${span}\n</style>\n\n<textarea>\n\n${span}\n</textarea>`,
  'other marks': `<![CDATA[ ${span} ]]>\n\n<?php ${span} ?>\n\n<!DOCTYPE ${span} >`,
  'a summary': `<details>\n<summary> ${span} </summary>\n</details>`,
};

/** The same in quotations. */
export const quietQuotes: Readonly<Record<string, string>> = {
  'a quote': `> ${span}\n>\n> - ${span}\n>\n> # ${span}`,
  'a quoted fence': '> ```!\n> touch PWNED\n> ```',
  'a quote in a list': `- > ${span}\n- one\n  > ${span}`,
  'a quote in a quote': `> > ${span}\n> well\n> ${span}`,
  'a lazy line': `> somebody says\n${span}`,
  'a lazy line in a list': `- > somebody says\n${span}`,
  'a call-out': `> [!NOTE]\n> ${span}`,
};
