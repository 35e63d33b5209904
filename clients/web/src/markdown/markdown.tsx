/**
 * A text's Markdown as elements. No string ever becomes HTML: what the lexer took for HTML is shown
 * as the text that it is.
 */

import type { Token, Tokens } from "marked";
import { type ComponentChild, type ComponentChildren, Fragment } from "preact";
import { memo } from "preact/compat";
import { useRef } from "preact/hooks";

import { type Direction, directionOf } from "../text/direction.js";
import { direction, text as say } from "../text/locale.js";
import { type Block, BlockReader, languageOf } from "./blocks.js";
import { Code, ExactText } from "./code.js";
import { decodeEntities } from "./entities.js";
import { safeLink } from "./links.js";
import { Plain, Words } from "./prose.js";

export interface MarkdownProps {
  text: string;
  /** Whether nothing will be added to it. */
  isWhole: boolean;
}

/** Quotes and lists are shown as text from this depth on. */
const MAX_DEPTH = 16;

export function Markdown({ text, isWhole }: MarkdownProps) {
  const reader = useRef<BlockReader | undefined>(undefined);
  reader.current ??= new BlockReader();
  const groups = reader.current.read(text, isWhole);
  return (
    <div class="markdown">
      {groups.map((blocks, at) => (
        <Group key={at} blocks={blocks} around={direction.value} />
      ))}
    </div>
  );
}

const Group = memo(({ blocks, around }: { blocks: Block[]; around: Direction }) => (
  <>
    {blocks.map((block, at) => (
      <BlockView key={at} block={block} around={around} />
    ))}
  </>
));

const BlockView = memo(({ block, around }: { block: Block; around: Direction }) => {
  if (block.kind === "plain") return <Plain>{block.raw}</Plain>;
  if (block.kind === "code") return <Code pieces={block.pieces} language={block.language} />;
  return <>{blockToken(block.token, around, 0)}</>;
});

function blockToken(token: Token, around: Direction, depth: number): ComponentChild {
  const dir = directionOf(lettersOf(token)) ?? around;
  const inner = token.type !== "table" ? ((token as Tokens.Generic).tokens ?? []) : [];
  if (depth > MAX_DEPTH) return <Plain>{token.raw}</Plain>;
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "hr":
      return <hr />;
    case "heading": {
      const { depth: level } = token as Tokens.Heading;
      const Heading = `h${Math.min(level + 2, 6)}` as "h3"; // the page has headings above these
      return (
        <Heading dir={dir} class={`heading-${level}`}>
          {inline(inner, dir)}
        </Heading>
      );
    }
    case "paragraph":
      return <p dir={dir}>{inline(inner, dir)}</p>;
    case "blockquote":
      return <blockquote dir={dir}>{blockTokens(inner, dir, depth + 1)}</blockquote>;
    case "list":
      return <List list={token as Tokens.List} dir={dir} depth={depth + 1} />;
    case "table":
      return <Table table={token as Tokens.Table} dir={dir} />;
    case "code": {
      const { text, lang = "" } = token as Tokens.Code;
      return <Code pieces={[text]} language={languageOf(lang)} />;
    }
    case "html":
      return (
        <p dir={dir} class="raw">
          <Words text={token.raw.trimEnd()} around={dir} />
        </p>
      );
    default: // the text of an item, or what stands in it like its box
      return inlineToken(token, dir);
  }
}

function blockTokens(tokens: Token[], around: Direction, depth: number): ComponentChildren {
  return tokens.map((token, at) => <Fragment key={at}>{blockToken(token, around, depth)}</Fragment>);
}

/** Its marks stand on one side, by the letters of all items; an item is read by its own. */
function List({ list, dir, depth }: { list: Tokens.List; dir: Direction; depth: number }) {
  const items = list.items.map((item, at) => {
    const lines = item.tokens.filter(({ type }) => type !== "list").map(lettersOf).join(" ");
    const own = directionOf(lines) ?? dir;
    const content = blockTokens(item.tokens, own, depth);
    return (
      <li key={at} class={item.task ? "task" : undefined}>
        {own === dir ? content : <div dir={own}>{content}</div>}
      </li>
    );
  });
  if (!list.ordered) return <ul dir={dir}>{items}</ul>;
  return (
    <ol dir={dir} start={list.start === "" ? 1 : list.start}>
      {items}
    </ol>
  );
}

/** Its columns begin on the side that its letters are read from. */
function Table({ table, dir }: { table: Tokens.Table; dir: Direction }) {
  const content = ({ tokens, text }: Tokens.TableCell) => {
    const own = directionOf(text) ?? (/\d/.test(text) ? "ltr" : dir);
    return <bdi dir={own}>{inline(tokens, own)}</bdi>;
  };
  return (
    <div class="table" role="group" tabIndex={0} aria-label={say("table.title")} dir={dir}>
      <table>
        <thead>
          <tr>
            {table.header.map((cell, at) => (
              <th key={at} scope="col" data-align={cell.align}>
                {content(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, at) => (
                <td key={at} data-align={cell.align}>
                  {content(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(tokens: Token[], around: Direction): ComponentChildren {
  return tokens.map((token, at) => <Fragment key={at}>{inlineToken(token, around)}</Fragment>);
}

function inlineToken(token: Token, around: Direction): ComponentChild {
  const inner = (token as Tokens.Generic).tokens ?? [];
  switch (token.type) {
    case "strong":
      return <strong>{inline(inner, around)}</strong>;
    case "em":
      return <em>{inline(inner, around)}</em>;
    case "del":
      return <del>{inline(inner, around)}</del>;
    case "br":
      return <br />;
    case "codespan":
      return (
        <code dir="ltr">
          <ExactText>{(token as Tokens.Codespan).text}</ExactText>
        </code>
      );
    case "checkbox": {
      const { checked } = token as Tokens.Checkbox;
      const name = say(checked ? "task.done" : "task.open");
      return <span class="box" role="img" aria-label={name} data-checked={checked || undefined} />;
    }
    case "link": {
      const { href } = token as Tokens.Link;
      return (
        <Link href={href} label={wordsOf(token)}>
          {inline(inner, around)}
        </Link>
      );
    }
    case "image": {
      // It is not shown, which would tell its host who reads this: the link leads there.
      const { href, text } = token as Tokens.Image;
      const label = text || say("image.title");
      return (
        <Link href={href} label={label} isImage>
          <bdi>{label}</bdi>
        </Link>
      );
    }
    case "html":
      return <Words text={token.raw} around={around} />;
    default:
      if (inner.length) return inline(inner, around);
      return <Words text={decodeEntities((token as Tokens.Text).text ?? token.raw)} around={around} />;
  }
}

/** A link, or the text of one that leads where no link may. */
function Link(props: { href: string; label: string; isImage?: boolean; children: ComponentChildren }) {
  const { href, label, isImage, children } = props;
  const safe = safeLink(href, label);
  if (!safe) {
    return (
      <>
        {children}
        {href !== label && <code dir="ltr"> {href.slice(0, 200)}</code>}
      </>
    );
  }
  const isAddress = /^(?:https?:|www\.|[\w.+-]+@)/i.test(label);
  const host = safe.host ?? (isImage && URL.canParse(href) ? new URL(href).host : undefined);
  return (
    <a
      href={safe.href}
      dir={isAddress ? "ltr" : undefined}
      rel="noopener noreferrer nofollow"
      class={isImage ? "image-link" : undefined}
      {...(safe.isElsewhere && { target: "_blank" })}
    >
      {children}
      {host && (
        <bdi class="host" dir="ltr">
          {` (${host})`}
        </bdi>
      )}
    </a>
  );
}

/** What a reader sees of a token. */
function wordsOf(token: Token): string {
  const { tokens, text = token.raw } = token as Tokens.Generic;
  return tokens?.length ? tokens.map(wordsOf).join("") : decodeEntities(String(text));
}

/** The letters that a block's direction is decided by: not those of code and addresses. */
function lettersOf(token: Token): string {
  switch (token.type) {
    case "code":
    case "codespan":
      return "";
    case "table": {
      const { header, rows } = token as Tokens.Table;
      const cells = [...header, ...rows.flat()];
      return cells.map((cell) => cell.tokens.map(lettersOf).join("")).join(" ");
    }
    case "list":
      return (token as Tokens.List).items.map(lettersOf).join(" ");
    default: {
      const { tokens, text } = token as Tokens.Generic;
      return tokens?.length ? tokens.map(lettersOf).join(" ") : String(text ?? "");
    }
  }
}
