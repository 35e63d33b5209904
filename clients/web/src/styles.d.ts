declare module "*.css";

declare module "*.css?text" {
  const css: string;
  export default css;
}
