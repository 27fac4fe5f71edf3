// Whether a key is meant for what is focused: a field, or a window above the page.
export const isTyping = ({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  ctrlKey ||
  metaKey ||
  altKey ||
  (target as Element).closest('input, textarea, select, [contenteditable], [role="dialog"]') !== null
