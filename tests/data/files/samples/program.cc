// Animals.
int guanaco() { return 4; }
