/** An answer's text. */

export interface MarkdownProps {
  text: string;
  /** Whether nothing will be added to it. */
  isWhole: boolean;
}

export function Markdown({ text }: MarkdownProps) {
  return (
    <div class="markdown">
      {text.split(/\n{2,}/).map((paragraph, at) => (
        <p key={at} dir="auto">
          {paragraph}
        </p>
      ))}
    </div>
  );
}
