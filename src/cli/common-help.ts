/** The help for the flags that every command has. */
export const commonHelp = `Flags for every command:
  --json            one JSON document on stdout
  --skills <dir>    also use this folder of skills, before all others (repeatable)
  --only            with --skills: these folders and no others
  --safe            ignore the skills of the project, the user and plugins, settings files
                    and .env; deny what needs approval
  -y, --yes         allow once whatever needs approval
  --offline         ask no model, whatever is configured; --no-offline: the contrary
  --cwd <dir>       work in this folder
  -q, --quiet       no notes on stderr
  --no-color        plain text (NO_COLOR works too); --color: colours in any case
  -h, --help        help for a command
  -v, --version     the version
`;
