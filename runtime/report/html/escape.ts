/** Escapes text for HTML, also within quoted attributes. Control characters become spaces. */
export function escapeHtml(text: string): string {
  const visible = text.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}]/gu, " ");
  return visible.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
