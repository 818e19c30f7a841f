export const Button: FC<Props> = ({ label }: Props) => {
  const click = useCallback(() => {
    track(label);
  }, [label]);
  return <button onClick={() => click()}>{label}</button>;
};

export default () => <Button label="x" />;
