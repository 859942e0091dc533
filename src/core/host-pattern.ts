/** What grants a host: a name or an address, the former perhaps for all below it, perhaps with a port; or `*` for all. */
export const hostPattern = /^(?:\*|(?:\*\.)?[\w-]+(?:\.[\w-]+)*|\[[\da-fA-F:.]+\])(?::\d{1,5})?$/;
