/** Finds where a JSON object ends while its text grows: the index behind it in the last piece, or -1. */
export function createObjectEnd(): (piece: string) => number {
  let depth = 0;
  let inText = false;
  let isEscaped = false;
  return (piece) => {
    for (let index = 0; index < piece.length; index++) {
      const character = piece.charAt(index);
      if (isEscaped) isEscaped = false;
      else if (inText) {
        if (character === '\\') isEscaped = true;
        else if (character === '"') inText = false;
      } else if (character === '"') inText = true;
      else if (character === '{') depth++;
      else if (character === '}' && --depth === 0) return index + 1;
    }
    return -1;
  };
}
